import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { boardNoForm } from '../machines/rules.ts'

export const boardErrors = defineErrors('boards', {
  numberTaken: [409004, '主板编号已存在', 'This board number exists already'],
  cardTaken: [
    409004,
    '该物联卡已在其他主板或设备上',
    'This SIM card is in another board or machine',
  ],
  boardTaken: [409004, '该主板已绑定其他设备', 'This board belongs to another device'],
  boardDisabled: [422001, '该主板已停用，请先启用', 'This board is disabled; enable it first'],
  hasBoard: [422001, '该设备已有主板，请更换主板', 'This device has a board; replace it instead'],
  notBound: [409001, '该主板未绑定设备', 'This board is not bound to a device'],
  openOrder: [
    422001,
    '设备有未完成的订单，不能解绑',
    'The device has unfinished orders and cannot be unbound',
  ],
  deviceClosed: [422001, '设备已外售或报废', 'The device was sold or scrapped'],
  ownerKind: [422001, '该机构不能拥有主板', 'This organisation cannot own boards'],
  elsewhere: [
    422001,
    '主板属于其他机构，不能绑定该设备',
    'The board belongs to an organisation that does not stand above the device',
  ],
  codeInvalid: [422001, '激活码无效或已过期', 'The activation code is not valid or has expired'],
})

const Status = z
  .enum(['UNBOUND', 'BOUND', 'DISABLED'])
  .meta({ tones: { UNBOUND: 'offline', BOUND: 'online', DISABLED: 'locked' } })
const Protocol = z.enum(['mqtt', 'ws'], bi('请选择协议', 'Choose the protocol'))
export const carriers = ['CMCC', 'CUCC', 'CTCC', 'CBN'] as const
const Carrier = z.enum(carriers)
/** Also what a number that nobody registered must look like to be noted. */
export const boardNo = z
  .string({ error: bi('请输入主板编号', 'Enter the board number') })
  .trim()
  .min(1, bi('请输入主板编号', 'Enter the board number'))
  .regex(boardNoForm, bi('主板编号须为6-40位字母、数字或 -', 'Six to 40 letters, digits or -'))
export const iccid = z
  .string()
  .trim()
  .regex(/^(\d{19,20})?$/, bi('物联卡号格式不正确', '19 or 20 digits'))
  .default('')
const traffic = (min: number) => {
  const wrong = bi('流量须为整数 MB', 'Whole megabytes')
  return z.number(wrong).int(wrong).min(min, wrong).max(9_999_999, wrong).nullable().default(null)
}
/** What is known of a board and its SIM; also the columns of an import. */
export const boardFields = {
  model: f.optionalText(40),
  protocol: Protocol.default('mqtt'),
  hwVersion: f.optionalText(40),
  fwVersion: f.optionalText(40),
  iccid,
  carrier: Carrier.nullable().default(null),
  plan: f.optionalText(40),
  planMb: traffic(1),
  usedMb: traffic(0),
  simExpiresOn: f.day.nullable().default(null),
}
const NewBoard = z.strictObject({ boardNo, orgId: f.id.optional(), ...boardFields })
export type NewBoard = z.infer<typeof NewBoard>
export type BoardFields = Omit<NewBoard, 'boardNo' | 'orgId'>

export const boardList = listQuery(
  {
    boardNo: z.string().trim().max(40).optional(),
    iccid: z.string().trim().max(20).optional(),
    status: Status.optional(),
    fwVersion: z.string().trim().max(40).optional(),
    deviceId: f.id.optional(),
    /** The SIM expires within 30 days or has expired. */
    expiring: z.boolean().optional(),
    orgId: f.id.optional(),
  },
  ['boardNo', 'usedMb', 'simExpiresOn', 'lastSeenAt', 'createTime'],
  '-createTime',
)

export const BoardRow = z.strictObject({
  id: f.id,
  boardNo: z.string(),
  ...f.shown(boardFields),
  /** As the machine says it, when it has said it. */
  fwVersion: z.string(),
  simState: z.enum(['FINE', 'SOON', 'EXPIRED']).nullable(),
  status: Status,
  deviceId: f.id.nullable(),
  rtuNumber: z.string(),
  nickname: z.string(),
  orgId: f.id,
  ownedUserName: z.string(),
  online: z.boolean(),
  signal: z.enum(['strong', 'medium', 'weak']).nullable(),
  lastSeenAt: f.instant.nullable(),
  /** Of the secret the machine signs in with; says whether two people speak of the same one. */
  keyFingerprint: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    bind: z.boolean(),
    bound: z.boolean(),
    disable: z.boolean(),
    enable: z.boolean(),
  }),
})
export type BoardRow = z.infer<typeof BoardRow>
export const BoardOption = BoardRow.pick({ id: true, boardNo: true, model: true, iccid: true })

/**
 * What the machine signs in with from now on; kept as a hash, so this answer is the only one that
 * shows it.
 */
export const BoardSecret = z.strictObject({
  boardNo: z.string(),
  rtuNumber: z.string(),
  secret: z.string(),
})
export type BoardSecret = z.infer<typeof BoardSecret>

export const ActivationCode = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  activationCode: z.string(),
  expiresAt: f.instant,
})
export type ActivationCode = z.infer<typeof ActivationCode>

/** A board that wants in and that nobody registered; it is the platform's to decide. */
export const UnknownBoard = z.strictObject({
  id: f.id,
  boardNo: z.string(),
  /** How it tried: to connect with this number, or with an activation code that does not work. */
  via: z.enum(['MQTT', 'ACTIVATION']),
  address: z.string(),
  tries: f.count,
  model: z.string(),
  fwVersion: z.string(),
  iccid: z.string(),
  firstSeenAt: f.instant,
  lastSeenAt: f.instant,
  ignored: z.boolean(),
  can: z.strictObject({ claim: z.boolean(), ignore: z.boolean(), restore: z.boolean() }),
})
export type UnknownBoard = z.infer<typeof UnknownBoard>
/**
 * `secret` of the machine it was put into at once, shown only here; null when it went into the
 * cupboard.
 */
export const ClaimedBoard = z.strictObject({
  boardNo: z.string(),
  rtuNumber: z.string(),
  secret: z.string().nullable(),
})

const one = { id: f.id, version: f.version }
const chooseDevice = bi('请至少选择一台设备', 'Choose a device')
const chooseBoard = bi('请选择主板', 'Choose a board')
const binding = [
  boardErrors.boardTaken,
  boardErrors.boardDisabled,
  boardErrors.deviceClosed,
  boardErrors.elsewhere,
  boardErrors.cardTaken,
] as const

export const boards = {
  list: read('main-board:read', {
    path: '/main-boards',
    summary: 'Boards with their SIM cards and machines',
    input: boardList,
    export: 'main-board:export',
    output: page(BoardRow),
  }),
  counts: read('main-board:read', {
    path: '/main-boards/counts',
    heavy: true,
    summary: 'Figures of the quick views',
    /** `unknown`: boards that wait to be claimed; null for whom they are not. */
    output: z.strictObject({
      all: f.count,
      unbound: f.count,
      bound: f.count,
      disabled: f.count,
      expiring: f.count,
      unknown: f.count.nullable(),
    }),
  }),
  options: read('main-board:read', {
    path: '/main-boards/options',
    summary: 'Boards that may be bound, at most 50',
    input: z.strictObject({
      keyword: z.string().trim().max(40).optional(),
      orgId: f.id.optional(),
    }),
    output: z.strictObject({ list: z.array(BoardOption) }),
  }),
  create: write('main-board:create', {
    path: '/main-boards',
    summary: 'Register a board',
    audit: 'boards.create',
    errors: [boardErrors.numberTaken, boardErrors.cardTaken, boardErrors.ownerKind],
    input: NewBoard,
    output: BoardRow,
  }),
  update: write('main-board:update', {
    method: 'PUT',
    path: '/main-boards/{id}',
    summary: 'Change what is known of a board and its SIM',
    audit: 'boards.update',
    errors: [boardErrors.cardTaken],
    input: z.strictObject({ ...one, ...boardFields }),
    output: BoardRow,
  }),
  bind: write('main-board:bind', {
    path: '/main-boards/{id}/bind',
    summary: 'Bind to a machine without board; the answer shows the new secret once',
    audit: 'boards.bind',
    fresh: true,
    errors: [boardErrors.hasBoard, ...binding],
    input: z.strictObject({ ...one, deviceId: z.number(chooseDevice).int().positive() }),
    output: BoardSecret,
  }),
  replace: write('main-board:bind', {
    path: '/main-boards/{id}/replace',
    summary: 'Another board takes over the machine; this one is disabled at once',
    audit: 'boards.replace',
    fresh: true,
    errors: [boardErrors.notBound, ...binding],
    input: z.strictObject({ ...one, newBoardId: z.number(chooseBoard).int().positive() }),
    output: BoardSecret,
  }),
  unbind: write('main-board:bind', {
    path: '/main-boards/{id}/unbind',
    summary: 'Take the board from its machine, which goes offline and cannot sell',
    audit: 'boards.unbind',
    errors: [boardErrors.notBound, boardErrors.openOrder],
    input: z.strictObject(one),
    output: BoardRow,
  }),
  disable: write('main-board:update', {
    path: '/main-boards/{id}/disable',
    summary: 'A disabled board may not connect',
    audit: 'boards.disable',
    input: z.strictObject(one),
    output: BoardRow,
  }),
  enable: write('main-board:update', {
    path: '/main-boards/{id}/enable',
    summary: 'Let a disabled board connect again',
    audit: 'boards.enable',
    input: z.strictObject(one),
    output: BoardRow,
  }),
  rotateSecret: write('main-board:bind', {
    path: '/main-boards/{id}/rotate-secret',
    summary: 'A new secret, shown once; the old one ends with its connection',
    audit: 'boards.rotateSecret',
    fresh: true,
    errors: [boardErrors.notBound, boardErrors.boardDisabled],
    input: z.strictObject(one),
    output: BoardSecret,
  }),
  activationCode: write('main-board:bind', {
    path: '/devices/{id}/activation-code',
    summary:
      'A code with which a board binds itself to this machine: once, within 72 hours; a former code ends',
    audit: 'boards.activationCode',
    fresh: true,
    errors: [boardErrors.deviceClosed],
    input: z.strictObject({ id: f.id }),
    output: ActivationCode,
  }),
  activationCodes: write('main-board:bind', {
    path: '/devices/activation-codes',
    summary: 'Codes for up to 200 machines at once',
    audit: 'boards.activationCodes',
    fresh: true,
    errors: [boardErrors.deviceClosed],
    input: z.strictObject({
      deviceIds: f
        .ids(chooseDevice)
        .min(1, chooseDevice)
        .max(200, bi('一次最多200台设备', 'At most 200 devices at once')),
    }),
    output: z.strictObject({ list: z.array(ActivationCode) }),
  }),
  unknown: read('main-board:create', {
    path: '/unknown-boards',
    summary: 'Boards that tried to connect and that nobody registered, of the last 30 days',
    input: listQuery(
      { boardNo: z.string().trim().max(40).optional(), ignored: z.boolean().default(false) },
      ['boardNo', 'tries', 'firstSeenAt', 'lastSeenAt'],
      '-lastSeenAt',
    ),
    output: page(UnknownBoard),
  }),
  claim: write('main-board:create', {
    path: '/unknown-boards/{id}/claim',
    summary:
      'Register an unknown board, for a machine at once if one is named: the answer shows its new secret once',
    audit: 'boards.claim',
    fresh: true,
    errors: [boardErrors.numberTaken, boardErrors.ownerKind, boardErrors.hasBoard, ...binding],
    input: z.strictObject({
      id: f.id,
      orgId: f.id.optional(),
      deviceId: f.id.optional(),
      model: f.optionalText(40),
      iccid,
    }),
    output: ClaimedBoard,
  }),
  ignore: write('main-board:create', {
    path: '/unknown-boards/{id}/ignore',
    summary: 'An unknown board is not shown any more while it goes on trying',
    audit: 'boards.ignore',
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
  restore: write('main-board:create', {
    path: '/unknown-boards/{id}/restore',
    summary: 'Show an ignored board again',
    audit: 'boards.restore',
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
  activate: write('open', {
    path: '/activate',
    summary:
      'What a board says that was shown an activation code: it becomes the board of the machine and gets its secret',
    audit: 'boards.activate',
    guessable: true,
    errors: [boardErrors.codeInvalid, ...binding],
    input: z.strictObject({
      code: z
        .string(bi('请输入激活码', 'Enter the activation code'))
        .trim()
        .min(1, bi('请输入激活码', 'Enter the activation code'))
        .max(40),
      boardNo,
      iccid,
      model: f.optionalText(40),
      hwVersion: f.optionalText(40),
      fwVersion: f.optionalText(40),
    }),
    output: z.strictObject({ rtuNumber: z.string(), secret: z.string() }),
  }),
}
