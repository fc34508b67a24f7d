import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

export const dutyErrors = defineErrors('duties', {
  noLicence: [
    422415,
    '您没有有效的执业药师注册证，不能上岗',
    'You have no valid pharmacist licence and cannot go on duty',
  ],
  otherStore: [422416, '只能在本机构的门店上岗', 'Only at a store of your own organisation'],
})

const dutyPlaces = ['ONSITE', 'REMOTE'] as const
const Place = z.enum(dutyPlaces, bi('请选择值守方式', 'Choose where you are'))
const Person = z.strictObject({
  id: f.id,
  name: z.string(),
  place: Place,
  beganAt: f.instant,
  own: z.boolean(),
})

/** Stores of one answer; those without anybody come first. */
export const mostDutyStores = 100
const DutyStore = z.strictObject({
  /** Null: machines of no store, for which nobody can be there. */
  storeId: f.id.nullable(),
  storeName: z.string(),
  orgName: z.string(),
  /** That sell with a pharmacist. */
  machines: f.count,
  people: z.array(Person),
  /** The reader may go on duty here. */
  can: z.boolean(),
})
export type DutyStore = z.infer<typeof DutyStore>
const Duties = z.strictObject({
  stores: z.array(DutyStore),
  /** The reader's own; null: he is no pharmacist. */
  licence: z
    .strictObject({ licenceNo: z.string(), validUntil: f.day, valid: z.boolean() })
    .nullable(),
})
export type Duties = z.infer<typeof Duties>

export const dutyEndpoints = {
  duties: read('near-expiry:read', {
    path: '/pharmacist-duties',
    summary: 'Stores whose machines sell with a pharmacist, and who is there now',
    output: Duties,
  }),
  goOnDuty: write('lane:lock', {
    path: '/pharmacist-duties',
    summary:
      'The caller, a pharmacist, is there for the machines of a store; `takeOver`: others who are go off',
    audit: 'drugControl.goOnDuty',
    errors: [dutyErrors.noLicence, dutyErrors.otherStore],
    input: z.strictObject({ storeId: f.id, place: Place, takeOver: z.boolean().default(false) }),
    output: f.done,
  }),
  /** Every minute; after three in which nothing was heard the machines sell as unattended ones. */
  beat: write('lane:lock', {
    path: '/pharmacist-duties/beat',
    summary: 'The caller is still there, where he went on duty; answers where that is so',
    audit: { none: 'a sign of life: its last one stands in the duty' },
    output: z.strictObject({ stores: z.array(z.string()) }),
  }),
  goOffDuty: write('lane:lock', {
    path: '/pharmacist-duties/{id}/end',
    summary: 'The caller goes off duty at a store',
    audit: 'drugControl.goOffDuty',
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
}
