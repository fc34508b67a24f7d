import type { Ctx } from '../../../server/context.ts'
import { guarding } from '../../../server/shapes.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { type BoardFields, boardErrors } from '../contract.ts'
import { ownerRule } from '../rules.ts'
import { written } from './queries.ts'

/** The database guards what is unique: boards of others are not seen. */
export const unique = guarding({
  main_boards_board_no_key: [boardErrors.numberTaken, 'boardNo'],
  main_boards_iccid: [boardErrors.cardTaken, 'iccid'],
  devices_card: [boardErrors.cardTaken, 'iccid'],
})

type NewBoard = BoardFields & { boardNo: string }
type Owner = { id: number; kind: string }
export async function addBoard(ctx: Ctx, board: NewBoard, owner: Owner): Promise<number> {
  const wrong = ownerRule(owner.kind)
  if (wrong) throw fieldRefusal(wrong, 'orgId')
  const { boardNo, ...fields } = board
  const values = { ...written(fields), board_no: boardNo, org_id: owner.id, created_at: ctx.now }
  const { id } = await unique(ctx.db.insertInto('main_boards').values(values).returning('id').executeTakeFirstOrThrow())
  return id
}
