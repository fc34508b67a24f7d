import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, iso } from '../../../server/context.ts'
import type { accounts } from '../contract.ts'
import * as q from './queries.ts'

type Contract = typeof accounts

async function organisationOptions(ctx: Ctx) {
  const list = await q.organisationOptions(ctx)
  return { list, total: list.length }
}

const userOptions: Handlers<Contract>['userOptions'] = async (ctx: Ctx, input) => {
  const { rows, total } = await q.userOptions(ctx, input)
  return {
    list: rows.map((row) => ({
      id: row.id,
      userName: row.username,
      name: row.real_name,
      avatar: row.avatar,
      role: row.role,
      address: row.address,
      createTime: iso(row.created_at),
    })),
    total,
  }
}

export const handlers: Handlers<Contract> = { organisationOptions, userOptions }
