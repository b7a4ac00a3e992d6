//! GPUs as data: lanes, banks, phases, instructions, costs.
