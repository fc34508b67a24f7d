import type { Ctx } from '../../../server/context.ts'
import { type ErrorDef, Refusal } from '../../../shared/errors.ts'
import { type BoardFields, boardErrors } from '../contract.ts'
import { ownerRule } from '../rules.ts'
import { columnsOf } from './queries.ts'

export const at = (def: ErrorDef, field: string) => new Refusal(def, {}, [{ field, text: def.text }])

/** The database guards what is unique: boards of others are not seen. */
export async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { constraint } = error as { constraint?: string }
    if (constraint === 'main_boards_board_no_key') throw at(boardErrors.numberTaken, 'boardNo')
    if (constraint === 'main_boards_iccid' || constraint === 'devices_card') throw at(boardErrors.cardTaken, 'iccid')
    throw error
  }
}

export async function addBoard(ctx: Ctx, board: BoardFields & { boardNo: string }, owner: { id: number; kind: string }): Promise<number> {
  const wrong = ownerRule(owner.kind)
  if (wrong) throw at(wrong, 'orgId')
  const { id } = await unique(
    ctx.db
      .insertInto('main_boards')
      .values({ org_id: owner.id, board_no: board.boardNo, created_at: ctx.now, ...columnsOf(board) })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  return id
}
