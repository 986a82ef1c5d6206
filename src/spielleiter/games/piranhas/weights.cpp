#include "evaluate.hpp"

namespace spielleiter::piranhas {

const Weights& fitted_weights(Rules rules) {
    static constexpr Weights weights{{{{1440, 1600, 1440, 320}},
                                      {{640, 800, 1120, 1920}},
                                      {{80, 80, 320, 1280}},
                                      {{-160, -240, -160, -80}},
                                      {{0, 800, 1600, 1600}},
                                      {{64, 64, 128, 128}},
                                      {{-80, -160, -192, -80}},
                                      {{-320, -320, -240, -240}},
                                      {{80, 128, 96, 96}},
                                      {{0, 0, 480, 960}},
                                      {{-320, -1280, -1520, -1920}},
                                      {{1600, 2240, 2880, 3360}}}};
    static_cast<void>(rules);
    return weights;
}

}  // namespace spielleiter::piranhas
