import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { receiverKinds, relations } from '../payment-channels/rules.ts'
import { providers, receiverErrors, receiverStates } from './rules.ts'

const Kind = z.enum(receiverKinds, bi('请选择类型', 'Choose the kind'))
const Relation = z.enum(relations, bi('请选择关系', 'Choose the relation'))
const State = z.enum(receiverStates).meta({
  tones: { NEW: 'paid', REGISTERED: 'online', FAILED: 'fault', REMOVED: 'closed' },
})
const noHolder = bi('请输入户名', 'Enter the holder')
const holder = z.string({ error: noHolder }).trim().max(60)

const fields = {
  /** Null: the simulator. */
  configId: f.id.nullable().default(null),
  partyId: z.number({ error: bi('请选择分账方', 'Choose the party') }).pipe(f.id),
  kind: Kind,
  account: f.text(100, bi('请输入账号', 'Enter the account')),
  relation: Relation,
}
export const NewReceiver = z.strictObject({ ...fields, holderName: holder.min(1, noHolder) })
/** Where somebody is paid does not change; a name that is empty stays as it is. */
export const EditReceiver = z.strictObject({
  id: f.id,
  version: f.version,
  relation: Relation,
  holderName: holder.default(''),
})

export const ReceiverRow = z.strictObject({
  id: f.id,
  partyId: f.id,
  partyName: z.string(),
  configId: f.id.nullable(),
  merchantName: z.string(),
  provider: z.enum(providers),
  kind: Kind,
  /** Both are masked. */
  account: z.string(),
  holderName: z.string(),
  relation: Relation,
  /** Null: the channel has not said. */
  returnConsent: z.boolean().nullable(),
  state: State,
  lastError: z.string().nullable(),
  checkedAt: f.instant.nullable(),
  orgId: f.id,
  orgName: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type ReceiverRow = z.infer<typeof ReceiverRow>

export const splitReceivers = {
  list: read('receiver:read', {
    path: '/finance/receivers',
    summary: 'Who is paid shares at merchants; accounts and names are masked',
    input: listQuery(
      {
        partyId: f.id.optional(),
        provider: z.enum(providers).optional(),
        kind: Kind.optional(),
        state: State.optional(),
      },
      ['createTime'],
      '-createTime',
    ),
    output: page(ReceiverRow),
  }),
  choices: read('receiver:read', {
    path: '/finance/receivers/choices',
    summary: 'Merchants at which somebody may be registered, and who may be',
    input: z.strictObject({ configId: f.id.optional() }),
    output: z.strictObject({
      merchants: z.array(
        z.strictObject({ id: f.id, name: z.string(), provider: z.enum(providers) }),
      ),
      parties: z.array(z.strictObject({ id: f.id, name: z.string() })),
    }),
  }),
  create: write('receiver:update', {
    path: '/finance/receivers',
    summary: 'Register a receiver: the channel is asked at once',
    audit: 'splitReceivers.create',
    // where money goes
    fresh: true,
    errors: [
      receiverErrors.partyTaken,
      receiverErrors.accountTaken,
      receiverErrors.noMerchant,
      receiverErrors.wrongParty,
      receiverErrors.collects,
      receiverErrors.wrongAccount,
      receiverErrors.otherHolder,
      receiverErrors.onlyPlatform,
    ],
    input: NewReceiver,
    output: ReceiverRow,
  }),
  update: write('receiver:update', {
    method: 'PUT',
    path: '/finance/receivers/{id}',
    summary: 'Change name or relation of a receiver, and register it again',
    audit: 'splitReceivers.update',
    errors: [receiverErrors.otherHolder, receiverErrors.onlyPlatform],
    input: EditReceiver,
    output: ReceiverRow,
  }),
  remove: write('receiver:update', {
    method: 'DELETE',
    path: '/finance/receivers/{id}',
    summary: 'Delete a receiver here and at the channel',
    audit: 'splitReceivers.remove',
    errors: [receiverErrors.inUse],
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
}
