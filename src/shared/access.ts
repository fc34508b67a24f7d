/** Kinds of organisations. */
export const orgKinds = [
  'PLATFORM',
  'AGENT',
  'OPERATOR',
  'SPONSOR',
  'SUPPLIER',
  'SCHOOL',
  'HOSPITAL',
  'LANE_TENANT',
  'REGULATOR',
] as const

/** The kind of organisation somebody stands in. */
export type HomeKind = (typeof orgKinds)[number]

/** Which rows a role reaches. */
export type DataScope =
  | 'ALL'
  | 'ORG_TREE'
  | 'ASSIGNED_DEVICES'
  | 'OWN_LANES'
  | 'OWN_BUDGET'
  | 'OWN_GOODS'
  | 'REGION_DRUGS'
