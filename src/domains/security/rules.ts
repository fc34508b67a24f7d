/** What a security event is about; the texts stand in locale.ts under `enums.kind`. */
export const securityKinds = [
  'PAYMENT_MISMATCH',
  'PAYMENT_FORGED',
  'PAYMENT_UNKNOWN',
  'PAYMENT_DOUBLE',
  'PAYMENT_LATE',
  'PAYMENT_CLOCK',
  'PAYMENT_CHANNEL',
  'MACHINE_CONTRADICTION',
  'SIGN_IN_PRESSURE',
  'MACHINE_BOOT_JUMP',
  'MACHINE_FOREIGN_COMMAND',
  'MACHINE_CLOCK',
  'MACHINE_FLOOD',
  'MACHINE_LOUD',
  'MACHINE_UNREADABLE',
  'MACHINE_FAULTS',
  'MACHINE_STRAYED',
  'MACHINE_SECRET_GUESSED',
  'ACTIVATION_GUESSED',
  'FACTOR_GUESSED',
  'WAY_UNDONE',
  'STOCK_HOARDED',
] as const
export type SecurityKind = (typeof securityKinds)[number]

/** Open events of one kind in one organisation; beyond it the next ones share the subject `*`. */
export const mostOpen = 100
