"""With which words are the programs called? Each answer is a command as a list of words."""
import os

RATE_OF_LEARNING = "0.0001"
LINK_SECONDS = {"quick": "8", "full": "50", "exact": "50"}
WATCHDOG = "300"


def given(option, value):
    """An option with its value, where there is one."""
    return [f"{option}={value}"] if value else []


class Programs:
    def __init__(self, bin_folder, testbed, hosts, cores):
        self.bin, self.testbed_script, self.hosts, self.cores = bin_folder, testbed, hosts, cores

    def program(self, name):
        return os.path.join(self.bin, name)

    def on_hosts(self, link, words):
        """One rank on each host of the test bed, one thread each; a rank that waits yields the cores that all share."""
        hosts = str(self.hosts)
        sharing = ["--mca", "mpi_yield_when_idle", "1"] if self.hosts > self.cores else []
        mpirun = ["mpirun", "-x", "OMP_NUM_THREADS=1", "-x", "ORACLE_DATA", *sharing, "-np", hosts]
        return [self.testbed_script, hosts, link, *mpirun, *words]

    def calibrate_grid(self, grid, profile):
        return [self.program("oracle"), "calibrate", *(["--quick"] if grid == "quick" else []), "-o", profile]

    def calibrate_exactly(self, case, shapes, batch, seconds, profile):
        """The layers that a network's ranks compute, and no links."""
        words = ["--for", case.model, "--strategy", shapes, "--batch", str(batch), *given("--input", case.input)]
        limits = ["--seconds", str(seconds), "--link-ranks", "1"]
        return [self.program("oracle"), "calibrate", *words, *limits, "-o", profile]

    def measure_links(self, grid, link, samples):
        """Between two ranks of this machine, or the hosts of the test bed."""
        words = [self.program("oracle-bench-links"), "--quick", "--seconds", LINK_SECONDS[grid], "--out", samples]
        return self.on_hosts(link, words) if link else [*words, "--ranks", "2"]

    def fit(self, samples, cluster, profile):
        described = ["--cluster", cluster] if cluster else []
        return [self.program("oracle"), "calibrate", "--from", ",".join(samples), *described, "-o", profile]

    @staticmethod
    def training(case, profile):
        return [
            case.model,
            f"--cluster={profile}",
            f"--strategy={case.strategy}",
            f"--batch={case.batch}",
            *given("--input", case.input),
        ]

    def validate(self, case, profile, steps):
        run = [f"--steps={steps}", f"--rate={RATE_OF_LEARNING}", "--format=json"]
        return [self.program("oracle"), "validate", *self.training(case, profile), *run]

    def estimate(self, case, profile):
        return [self.program("oracle"), "estimate", *self.training(case, profile), "--format=json"]

    def train_on_hosts(self, case, profile, steps, out):
        run = [f"--steps={steps}", f"--rate={RATE_OF_LEARNING}", f"--watchdog={WATCHDOG}", f"--out={out}"]
        return self.on_hosts(case.link, [self.program("oracle-train"), *self.training(case, profile), *run])

    def compare(self, prediction, run):
        return [self.program("oracle"), "compare", prediction, run, "--format=json"]
