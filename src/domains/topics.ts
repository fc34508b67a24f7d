/**
 * What open screens hear of, and who may read what stands behind it: a stream is told of a topic when its person holds one of these
 * rights for rows of the organisation. `shared`: rows that organisations below read too. `watched`: tables whose rows tell whoever only
 * looks at machines of others. Topics that are not here are heard by the processes alone; those that end in a person's id (`jobs:7`)
 * by him alone.
 */
type Topic = { readonly rights: readonly `${string}:${string}`[]; readonly shared?: true; readonly watched?: readonly string[] }

export const topics: Readonly<Record<string, Topic>> = {
  'alert-channels': { rights: ['alarm-rule:read'] },
  'alert-rules': { rights: ['alarm-rule:read'] },
  alerts: { rights: ['alarm:read'] },
  commands: { rights: ['device:read'] },
  complaints: { rights: ['complaint:read'] },
  departments: { rights: ['department:read'] },
  'device-types': { rights: ['device-type:read'], shared: true },
  devices: { rights: ['device:read', 'device:assign', 'dashboard:read'], watched: ['devices', 'device_states', 'device_faults'] },
  'job-console': { rights: ['job-console:read'] },
  'lane-copies': { rights: ['lane:copy'] },
  lanes: { rights: ['lane:read'], watched: ['lanes'] },
  'log-checks': { rights: ['log:verify'] },
  'log-debug': { rights: ['log:debug'] },
  'main-boards': { rights: ['main-board:read'] },
  menus: { rights: ['menu:read'], shared: true },
  messages: { rights: ['message:read'], shared: true },
  notices: { rights: ['notice:read'] },
  'online-users': { rights: ['user:read'] },
  orders: { rights: ['order:read', 'dashboard:read', 'device:test'], watched: ['orders'] },
  organisations: { rights: ['org:read'] },
  'password-resets': { rights: ['user:reset-password'] },
  products: { rights: ['product:read', 'product-category:read'], shared: true },
  roles: { rights: ['role:read', 'role:distribute-read'], shared: true },
  security: { rights: ['security:read'] },
  settings: { rights: ['setting:read'], shared: true },
  shadows: { rights: ['device:read', 'lane:read'], watched: ['device_shadows'] },
  stock: { rights: ['stock-flow:read'], watched: ['stock_flows'] },
  stores: { rights: ['store:read'] },
  'unknown-boards': { rights: ['main-board:create'] },
  users: { rights: ['user:read'] },
}
