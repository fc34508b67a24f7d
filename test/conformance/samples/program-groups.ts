import { randomUUID } from 'node:crypto'
import { place, rowId } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own, versionOf } from './kit.ts'

const name = () => `组${randomUUID().slice(0, 8)}`
const made = (state: string) =>
  `insert into program_groups (org_id, name, slot_kind, state)
    values (3, '${name()}', 'FULL', '${state}')`
const items = [{ creativeId: own, seconds: 7 }]

export const programGroups: DomainSamples = {
  rows: (where) => ({
    program_groups: {
      ...{ id: rowId(where, 1), org_id: place[where], name: `组${where}`, slot_kind: 'FULL' },
    },
    program_group_items: {
      ...{ group_id: rowId(where, 1), org_id: place[where], position: 1 },
      ...{ creative_id: rowId(where, 1), seconds: 8 },
    },
    ad_bindings: {
      ...{ id: rowId(where, 1), org_id: place[where], group_id: rowId(where, 1) },
      ...{ slot_kind: 'FULL', date_from: '2026-12-01', date_to: '2026-12-31' },
      ...{ windows: '{[480,600)}' },
    },
    ad_binding_devices: {
      ...{ binding_id: rowId(where, 1), org_id: place[where], device_id: rowId(where, 1) },
      ...{ slot_kind: 'FULL', group_id: rowId(where, 1), priority: 'NORMAL' },
      ...{ days: '[2026-12-01,2027-01-01)', week: '{[480,600)}', holds: true, plays: false },
    },
  }),
  pathIds: { 'program-groups id': byRow },
  fieldIds: { 'program-groups items.creativeId': byRow },
  samples: {
    'programGroups.create': async () => ({ name: name(), slotKind: 'HALF', items }),
    'programGroups.update': async (world) => ({
      ...{ id: own, version: await versionOf(world, 'program_groups', own) },
      ...{ name: name(), slotKind: 'FULL', items, windows: [{ from: '08:00', to: '20:00' }] },
    }),
    'programGroups.copy': async () => ({ id: own, name: name() }),
    'programGroups.enable': async (world) => ({
      id: await fresh(world, made('DRAFT')),
      version: 1,
    }),
    'programGroups.disable': async (world) => ({
      ...{ id: await fresh(world, made('ENABLED')), version: 1 },
    }),
    'programGroups.remove': async (world) => ({
      id: await fresh(world, made('DRAFT')),
      version: 1,
    }),
  },
}
