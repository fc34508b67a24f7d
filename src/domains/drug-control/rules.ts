/** Why lanes are stopped for the sake of their goods. */
export const lockReasons = [
  'COMPLIANCE',
  'EXPIRY',
  'RECALL',
  'TEMPERATURE',
  'TRACE_CODE',
  'WRONG_PRODUCT',
] as const
