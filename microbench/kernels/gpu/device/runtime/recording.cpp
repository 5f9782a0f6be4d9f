#include "microbench/kernels/gpu/device/runtime/recording.h"

#include <utility>

namespace oracle::gpu {
namespace {

/// A captured graph, until it was instantiated.
class Graph {
 public:
  Graph() = default;
  ~Graph() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  cudaGraph_t* address() { return &graph_; }
  cudaGraphExec_t instantiated() const {
    cudaGraphExec_t made = nullptr;
    check(cudaGraphInstantiateWithFlags(&made, graph_, 0), "cudaGraphInstantiateWithFlags");
    return made;
  }

 private:
  cudaGraph_t graph_ = nullptr;
};

class GraphRecording final : public Recording {
 public:
  GraphRecording(Stream stream, cudaGraphExec_t made, SetAside memory)
      : stream_(stream), made_(made), memory_(std::move(memory)) {}
  // What is under way may end; its memory goes to whom comes behind it on the stream.
  ~GraphRecording() override { static_cast<void>(cudaGraphExecDestroy(made_)); }

  void replay() override { check(cudaGraphLaunch(made_, stream_), "cudaGraphLaunch"); }

 private:
  Stream stream_;
  cudaGraphExec_t made_;
  SetAside memory_;
};

/// From its making until `end`, or until it is given up, the stream is captured.
class Capture {
 public:
  explicit Capture(Context& context) : context_(context) {
    // Of this thread's calls alone: others (a communicator's) may do what a capture must not.
    check(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    context_.allocator().begin_recording();
    context_.step().hold(true);
  }
  ~Capture() {
    if (ended_) return;
    Graph unfinished;
    static_cast<void>(cudaStreamEndCapture(context_.stream(), unfinished.address()));
    static_cast<void>(cudaGetLastError());
    context_.allocator().abandon_recording();
    context_.step().hold(false);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  std::unique_ptr<Recording> end() {
    Graph graph;
    check(cudaStreamEndCapture(context_.stream(), graph.address()), "cudaStreamEndCapture");
    SetAside memory = context_.allocator().end_recording();
    ended_ = true;
    context_.step().hold(false);
    return std::make_unique<GraphRecording>(context_.stream(), graph.instantiated(),
                                            std::move(memory));
  }

 private:
  Context& context_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Recording> record(Context& context, const std::function<void()>& work) {
  Capture capture(context);
  work();
  return capture.end();
}

}  // namespace oracle::gpu
