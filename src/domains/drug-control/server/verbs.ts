import type { Handlers } from '../../../server/bind.ts'
import type { drugControl } from '../contract.ts'
import * as q from './queries.ts'

type Contract = typeof drugControl

export const handlers: Handlers<Contract> = {
  async locks(ctx, input) {
    const { rows, total } = await q.locks(ctx, input)
    return { list: rows, total }
  },
}
