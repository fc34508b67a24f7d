import type { Handlers } from '../../../server/bind.ts'
import type { accounts } from '../contract.ts'
import * as q from './queries.ts'

export const handlers: Handlers<typeof accounts> = {
  async organisationOptions(ctx) {
    const list = await q.organisationOptions(ctx)
    return { list, total: list.length }
  },
  async userOptions(ctx, input) {
    const { rows: list, total } = await q.userOptions(ctx, input)
    return { list, total }
  },
}
