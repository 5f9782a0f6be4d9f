#include "validate/data/loader.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "validate/data/order.h"
#include "validate/data/positions.h"

namespace oracle {
namespace {

constexpr float kHalf = 127.5F;

using Clock = std::chrono::steady_clock;

}  // namespace

/// Images by the number of their sample: those of the step under way, of the one before and of the
/// next. Workers take the lowest that was asked for.
class Loader::Pool {
 public:
  Pool(const ImageSet& images, const LoaderOptions& options) : images_(images), options_(options) {
    for (int w = 0; w < options.workers; ++w) workers_.emplace_back([this] { work(); });
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    asked_more_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  /// These are needed now, and those a batch later soon.
  void ask(const std::vector<std::int64_t>& samples) {
    if (samples.empty() || workers_.empty()) return;
    const std::scoped_lock lock(mutex_);
    forget_before(samples.front() - options_.batch);
    for (const std::int64_t sample : samples) ask_for(sample);
    for (const std::int64_t sample : samples) ask_for(sample + options_.batch);
    asked_more_.notify_all();
  }

  /// Shared, since ranks that are threads of one process may ask for other steps meanwhile.
  using Values = std::shared_ptr<const std::vector<std::uint8_t>>;

  Values take(std::int64_t sample) {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto found = entries_.find(sample);
      if (found == entries_.end()) break;
      if (found->second.failure != nullptr) std::rethrow_exception(found->second.failure);
      if (found->second.values != nullptr) return found->second.values;
      ready_.wait(lock);
    }
    lock.unlock();
    return read(sample);
  }

  InputCount count() const {
    const std::scoped_lock lock(mutex_);
    return count_;
  }

 private:
  struct Entry {
    Values values;
    std::exception_ptr failure;
  };

  void ask_for(std::int64_t sample) {
    if (entries_.try_emplace(sample).second) asked_.insert(sample);
  }

  void forget_before(std::int64_t sample) {
    while (!entries_.empty() && entries_.begin()->first < sample &&
           entries_.begin()->second.values != nullptr) {
      entries_.erase(entries_.begin());
    }
  }

  Values read(std::int64_t sample) {
    const auto begin = Clock::now();
    auto values = std::make_shared<std::vector<std::uint8_t>>(images_.shape().bytes());
    try {
      images_.read(image_of(options_.seed, sample, images_.size()), *values);
    } catch (const InputError& error) {
      throw EnvironmentError(std::string(error.what()) + "; it was sound when training began");
    }
    const std::scoped_lock lock(mutex_);
    ++count_.images;
    count_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    return values;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      asked_more_.wait(lock, [&] { return stopped_ || !asked_.empty(); });
      if (stopped_) return;
      const std::int64_t sample = *asked_.begin();
      asked_.erase(asked_.begin());
      lock.unlock();
      Entry made;
      try {
        made.values = read(sample);
      } catch (...) {
        made.failure = std::current_exception();
      }
      lock.lock();
      entries_.at(sample) = std::move(made);
      ready_.notify_all();
    }
  }

  const ImageSet& images_;
  const LoaderOptions& options_;
  mutable std::mutex mutex_;
  std::condition_variable asked_more_, ready_;
  std::map<std::int64_t, Entry> entries_;
  std::set<std::int64_t> asked_;  ///< and not begun
  bool stopped_ = false;
  InputCount count_;
  std::vector<std::thread> workers_;
};

Loader::Loader(const ImageSet& images, const LoaderOptions& options)
    : images_(images), options_(options), pool_(std::make_unique<Pool>(images, options_)) {}
Loader::~Loader() = default;

void Loader::inputs(const Region& region, std::int64_t first_sample,
                    std::span<float> values) const {
  ensure(static_cast<std::int64_t>(values.size()) == region.elements(),
         "Loader::inputs: as many values as the region has");
  std::vector<std::int64_t> samples = positions_of(region.along[0]);
  for (std::int64_t& sample : samples) sample += first_sample;
  pool_->ask(samples);
  const ImageShape shape = images_.shape();
  Region one = region;
  auto value = values.begin();
  for (const std::int64_t sample : samples) {
    const Pool::Values image = pool_->take(sample);
    one.along[0] = {{0, 1}};
    for_each_position(
        one, [&](std::int64_t, std::int64_t c, std::int64_t, std::int64_t h, std::int64_t w) {
          const auto at = static_cast<std::size_t>((c * shape.height + h) * shape.width + w);
          *value++ = static_cast<float>((*image)[at]) / kHalf - 1;
        });
  }
}

void Loader::targets(const Region& region, std::int64_t first_sample,
                     std::span<float> values) const {
  ensure(static_cast<std::int64_t>(values.size()) == region.elements(),
         "Loader::targets: as many values as the region has");
  auto value = values.begin();
  for (const std::int64_t n : positions_of(region.along[0])) {
    const std::int64_t image = image_of(options_.seed, first_sample + n, images_.size());
    *value++ = static_cast<float>(images_.label(image));
  }
}

InputCount Loader::count() const { return pool_->count(); }

void require_fit(const ImageSet& images, const Graph& graph) {
  std::vector<Problem> problems;
  const Shape& input = graph[0].output;
  const Layer& loss = graph.layers.back();
  const ImageShape shape = images.shape();
  const ImageShape asked{input.channels(), input[Axis::height], input[Axis::width]};
  if (asked != shape || input[Axis::depth] != 1) {
    problems.push_back({"--data",
                        images.text() + ": images are " + to_text(shape) + ", and " + graph.name +
                            " takes " + to_text(input),
                        "give --input " + to_text(shape) + ", or other images"});
  }
  if (loss.kind->name != "softmax_loss" || loss.input.positions() != 1) {
    problems.push_back(
        {"--data",
         "images have one class each, and " + graph.name + " does not answer with a class",
         "choose a network that classifies"});
  } else if (images.classes() > loss.input.channels()) {
    problems.push_back({"--data",
                        images.text() + ": has " + std::to_string(images.classes()) +
                            " classes, and " + graph.name + " tells " +
                            std::to_string(loss.input.channels()) + " apart",
                        "give --classes " + std::to_string(images.classes())});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace oracle
