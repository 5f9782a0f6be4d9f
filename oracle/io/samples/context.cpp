#include "oracle/io/samples/context.h"

namespace oracle::samples {

Run read_run(Fields& fields, const std::string& part, std::map<std::string, std::size_t>& ignored) {
  Run run;
  run.part = part;
  run.started = fields.text("started");
  run.device = fields.text("device");
  run.tiny = fields.flag_or_false("tiny");
  run.budget = fields.time_if_any("budget_s", Seconds{1});
  run.duration = fields.time_if_any("seconds", Seconds{1});
  run.capability = fields.text_or_empty("capability");
  run.driver_version = fields.text_or_empty("driver_version");
  run.cuda = fields.text_or_empty("cuda");
  run.cudnn = fields.text_or_empty("cudnn");
  run.nccl = fields.text_or_empty("nccl");
  run.torch = fields.text_or_empty("torch");
  run.torchvision = fields.text_or_empty("torchvision");
  run.python = fields.text_or_empty("python");
  run.cpu = fields.text_or_empty("cpu");
  run.multiprocessors = fields.count_if_any("sms");
  run.cores = fields.count_if_any("cores");
  run.memory = fields.bytes_if_any("memory_bytes");
  run.l2_cache = fields.bytes_if_any("l2_bytes");
  run.used_by_context = fields.bytes_if_any("used_by_context_bytes");
  run.clocks_before = fields.texts("clocks_before");
  run.clocks_after = fields.texts("clocks_after");
  fields.count_the_rest(part + "/runs", ignored);
  return run;
}

}  // namespace oracle::samples
