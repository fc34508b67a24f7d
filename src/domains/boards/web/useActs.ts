import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { type BoardRow, type BoardSecret, boards } from '../contract.ts'

/** What a row can be asked to do besides dialogs: one question, one call. */
export function useActs(onSecret: (secret: BoardSecret) => void) {
  const { t } = useTranslation('boards')
  const confirm = useConfirm()
  const unbind = useWrite(boards.unbind, { success: 'boards:success.unbind' })
  const disable = useWrite(boards.disable, { success: 'boards:success.disable' })
  const enable = useWrite(boards.enable, { success: 'boards:success.enable' })
  const rotate = useWrite(boards.rotateSecret, { success: 'boards:success.rotateSecret' })
  const sure = (verb: string, row: BoardRow, question = `${verb}Ask`, danger = true) =>
    confirm({
      ok: t(verb),
      title: t(question),
      content: [row.boardNo, row.rtuNumber, row.nickname].filter(Boolean).join(' · '),
      danger,
    })
  const one = (row: BoardRow) => ({ id: row.id, version: row.version })
  return {
    async unbind(row: BoardRow) {
      if (await sure('unbind', row)) unbind.mutate(one(row))
    },
    async disable(row: BoardRow) {
      if (await sure('disable', row, row.deviceId === null ? 'disableFree' : 'disableAsk'))
        disable.mutate(one(row))
    },
    async enable(row: BoardRow) {
      if (await sure('enable', row, 'enableAsk', false)) enable.mutate(one(row))
    },
    async rotate(row: BoardRow) {
      if (await sure('rotate', row)) rotate.mutate(one(row), { onSuccess: onSecret })
    },
  }
}
