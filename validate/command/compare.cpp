#include "oracle/cli/request.h"
#include "validate/command/answers.h"
#include "validate/command/view.h"

namespace oracle {

cli::Answer answer_compare(const cli::Arguments& arguments, const cli::Progress&) {
  const View view = read_view(arguments);
  const Prediction prediction = parse_prediction(json::read(arguments.word(0)), view.warm_up);
  const Measurement run = read_measurement(arguments.word(1));
  return answer_of(prediction, run, view);
}

}  // namespace oracle
