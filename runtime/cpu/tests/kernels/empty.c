#include "cube.h"
void empty(const struct Launch *launch, uint64_t first, uint64_t last) {}
