import { type Alias, type Given, idOf, known, merged, pick } from '../../server/alias.ts'
import type { CallOn } from '../../server/bind.ts'
import type { CallInput } from '../../shared/contract.ts'
import { accounts } from '../accounts/contract.ts'
import { audit } from '../audit/contract.ts'
import { complaints } from '../complaints/contract.ts'
import { files } from '../files/contract.ts'
import { notices } from '../notices/contract.ts'
import { roles } from '../roles/contract.ts'
import { type OrganUserRow, users } from '../users/contract.ts'
import { wholeYear } from './products.ts'

const organUser = (row: OrganUserRow) => ({
  ...pick(
    row,
    'id',
    'username',
    'realName',
    'roleName',
    'avatar',
    'role',
    'area',
    'operatorId',
    'operatorName',
    'phone',
    'consumerPhone',
    'tenantId',
  ),
  status: row.status === 'ENABLED' ? 1 : 0,
  // never told, not even that there is one
  password: '',
})

/** `role` is an identifier such as ROLE_RTU_SP, `operatorId` the organisation. */
async function newUser(call: CallOn, given: Given): Promise<CallInput<typeof users.create>> {
  const orgId = Number(given.operatorId ?? given.orgId) || undefined
  const { list } = await call(roles.assignable, orgId ? { orgId } : {})
  const asked = String(given.role ?? '').split(',')
  const roleIds = list.filter((role) => asked.includes(role.identifier)).map((role) => role.id)
  const fresh = {
    ...known(users.create, given),
    ...(orgId ? { orgId } : {}),
    repeat: given.repeat ?? given.password,
    ...(given.roleIds ? {} : { roleIds }),
  }
  return fresh as CallInput<typeof users.create>
}

/**
 * The sample server says 1 for enabled and 0 for disabled; what is neither is refused by the
 * operation.
 */
const statusOf = ({ status }: Given) =>
  ([1, '1'].includes(status as number)
    ? 'ENABLED'
    : [0, '0'].includes(status as number)
      ? 'DISABLED'
      : status) as 'ENABLED'

type Node = { value: number; label: string; children: readonly Node[] }
const cascade = (nodes: readonly Node[]): object[] =>
  nodes.map((node) => ({ ...pick(node, 'value', 'label'), children: cascade(node.children) }))

/** An announcement to everybody below, at once. */
async function issue(call: CallOn, { img, ...given }: Given) {
  const images = typeof img === 'string' && img !== '' ? { images: [img] } : {}
  const draft = await call(notices.create, {
    toAll: true,
    ...images,
    ...known(notices.create, given),
  } as CallInput<typeof notices.create>)
  const published = await call(notices.publish, {
    ...pick(draft, 'id', 'version'),
    immediately: true,
  })
  return pick(published, 'id', 'img', 'title', 'content', 'createTime')
}

const found: readonly Alias[] = (['/user-list', '/select-user'] as const).map((path) => ({
  method: 'GET',
  path,
  async answer(call, given) {
    const { list, total } = await call(accounts.userOptions, known(accounts.userOptions, given))
    return {
      list: list.map((row) =>
        pick(row, 'id', 'userName', 'name', 'avatar', 'role', 'address', 'createTime'),
      ),
      total,
    }
  },
}))

export const peopleAliases: readonly Alias[] = [
  ...found,
  {
    method: 'GET',
    path: '/organ-manage-list-index',
    async answer(call, given) {
      const { list, total } = await call(users.list, known(users.list, given))
      return { list: list.map(organUser), total }
    },
  },
  {
    method: 'GET',
    path: '/organ-manage-list-all',
    answer: async (call) => cascade((await call(accounts.organisationTree, {})).list),
  },
  {
    method: 'PUT',
    path: '/organ-manage-list-item-status/:id',
    answer: (call, given) => call(users.setStatus, { id: idOf(given), status: statusOf(given) }),
  },
  {
    method: 'GET',
    path: '/organ-manage-list-item/:id',
    answer: async (call, given) => organUser(await call(users.get, { id: idOf(given) })),
  },
  {
    method: 'PUT',
    path: '/organ-manage-list-item/:id',
    async answer(call, given) {
      const row = await call(users.get, { id: idOf(given) })
      return organUser(
        await call(
          users.update,
          merged(users.update, row, { ...given, id: row.id }) as CallInput<typeof users.update>,
        ),
      )
    },
  },
  {
    method: 'POST',
    path: '/organ-manage-list-item',
    async answer(call, given) {
      const { id } = await call(users.create, await newUser(call, given))
      return organUser(await call(users.get, { id }))
    },
  },
  {
    method: 'GET',
    path: '/complaint-feedback',
    async answer(call, given, now) {
      const { list, total } = await call(
        complaints.list,
        wholeYear(known(complaints.list, given), now),
      )
      return {
        list: list.map((row) => pick(row, 'id', 'username', 'content', 'remark', 'createTime')),
        total,
      }
    },
  },
  {
    method: 'DELETE',
    path: '/complaint-feedback/:id',
    async answer(call, given) {
      const row = await call(complaints.get, { id: idOf(given) })
      return call(complaints.remove, {
        ...pick(row, 'id', 'version'),
        reason: String(given.reason ?? '—'),
      })
    },
  },
  {
    method: 'GET',
    path: '/log-operate',
    async answer(call, given, now) {
      const { list, total } = await call(audit.list, wholeYear(known(audit.list, given), now))
      return {
        list: list.map((row) =>
          pick(row, 'username', 'level', 'content', 'ipAddress', 'createTime'),
        ),
        total,
      }
    },
  },
  { method: 'POST', path: '/log-issue', answer: issue },
  {
    method: 'GET',
    path: '/notice-list',
    async answer(call, given) {
      const { list, total } = await call(notices.inbox, known(notices.inbox, given))
      return {
        list: list.map((row) => pick(row, 'id', 'img', 'title', 'content', 'createTime')),
        total,
      }
    },
  },
  { method: 'POST', path: '/upload-image', answer: (call) => call(files.uploadImage, {}) },
]
