#include "evaluate.hpp"

namespace spielleiter::piranhas {

/// `spielleiter tune` writes these tables; each says from which games it was fitted.
const Weights& fitted_weights(Rules rules) {
    static constexpr Weights weighing{{
#include "weights/piranhas-2026.inc"
    }};
    static constexpr Weights counting{{
#include "weights/piranhas-2019.inc"
    }};
    return rules.weighs() ? weighing : counting;
}

}  // namespace spielleiter::piranhas
