#pragma once
// What if a disk does not answer?
//
// A read of a hung disk or of a lost mount never returns, and ranks that all read have no message
// that could be overdue. Each read of a set is noted while it lasts; a thread of its own looks at
// them, and where one takes longer than the limit it prints a line that names the file, and ends
// the program with exit code 3.
//
// Worked: a read that began 0.3 s ago under a limit of 0.2 s is reported
//                                               tests/validate/data/images/read_watch_test.cpp

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace oracle {

struct ReadLimit {
  double seconds = 60;      ///< 0: none, and no thread
  std::string reader = {};  ///< "rank 1"; may be empty
  /// Gets the line. Where it is empty the line goes to stderr and the program ends.
  std::function<void(const std::string&)> report = {};
};

class ReadWatch {
  struct Begun {
    std::string what;
    std::chrono::steady_clock::time_point since;
  };

 public:
  /// A read that lasts as long as this.
  class Reading {
   public:
    Reading(ReadWatch& watch, std::list<Begun>::iterator at) : watch_(watch), at_(at) {}
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading();

   private:
    ReadWatch& watch_;
    std::list<Begun>::iterator at_;
  };

  explicit ReadWatch(ReadLimit limit);
  ReadWatch(const ReadWatch&) = delete;
  ReadWatch& operator=(const ReadWatch&) = delete;
  ~ReadWatch();

  /// By any number of threads at a time.
  Reading reading(std::string what);

 private:
  void watch();
  void report(const std::string& what) const;

  ReadLimit limit_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::list<Begun> begun_;  ///< the oldest first
  bool leaving_ = false;
  std::thread thread_;
};

}  // namespace oracle
