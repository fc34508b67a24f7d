/** The organisation of the platform itself. */
export const platformOrg = 1

/** Kinds of organisations below the platform. */
export const tenantKinds = [
  'AGENT',
  'OPERATOR',
  'SPONSOR',
  'SUPPLIER',
  'SCHOOL',
  'HOSPITAL',
  'LANE_TENANT',
  'REGULATOR',
] as const
export const orgKinds = ['PLATFORM', ...tenantKinds] as const

/** The kind of organisation somebody stands in. */
export type HomeKind = (typeof orgKinds)[number]

/** Which rows a role reaches. */
export const dataScopes = [
  'ALL',
  'ORG_TREE',
  'ASSIGNED_DEVICES',
  'OWN_LANES',
  'OWN_BUDGET',
  'OWN_GOODS',
  'REGION_DRUGS',
] as const
export type DataScope = (typeof dataScopes)[number]
