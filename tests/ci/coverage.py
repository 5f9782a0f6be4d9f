"""coverage.py ROOT LEAST: what a summary in lcov's form on the standard input says about ROOT/oracle.

Prints the share of lines that ran for each folder of the engine, for the whole, and for each file
below LEAST percent, the poorest first. Fails where the whole is below.
"""
import collections
import sys


def read(stream, root):
    """Lines and lines that ran, by file. SF: names a file, LF: and LH: count for it."""
    files = {}
    for line in stream:
        key, _, value = line.strip().partition(":")
        if key == "SF":
            name = value.removeprefix(root + "/")
        elif key == "LF":
            lines = int(value)
        elif key == "LH" and lines > 0:
            files[name] = (int(value), lines)
    return files


def share(ran, lines):
    return 100 * ran / lines


def show(name, ran, lines):
    print(f"{share(ran, lines):5.1f} %  {ran:6} of {lines:6}  {name}")


def main(root, least):
    files = read(sys.stdin, root)
    if not files:
        sys.exit("coverage.py: no line of the engine was counted")
    folders = collections.defaultdict(lambda: (0, 0))
    for name, (ran, lines) in files.items():
        for folder in ("/".join(name.split("/")[:2]) + "/", "all"):
            folders[folder] = (folders[folder][0] + ran, folders[folder][1] + lines)
    for name in sorted(folders, key=lambda name: (name == "all", name)):
        show(name, *folders[name])
    short = {name: counts for name, counts in files.items() if share(*counts) < least}
    for name in sorted(short, key=lambda name: share(*short[name])):
        show(name, *short[name])
    if share(*folders["all"]) < least:
        sys.exit(f"fewer than {least:g} % of the engine's lines ran")


main(sys.argv[1], float(sys.argv[2]))
