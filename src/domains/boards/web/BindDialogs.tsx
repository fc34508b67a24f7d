import { useTranslation } from 'react-i18next'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note } from '../../../web/form/fields.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { type BoardRow, type BoardSecret, boards } from '../contract.ts'
import { BoardSelect } from './pickers.tsx'

type Props = { row: BoardRow; onClose: () => void; onSecret: (secret: BoardSecret) => void }

export function BindDialog({ row, onClose, onSecret }: Props) {
  const { t } = useTranslation('boards')
  return (
    <FormDialog
      title={t('bindTitle', { board: row.boardNo })}
      ns="boards"
      width={520}
      onClose={onClose}
      success="boards:success.bind"
      save={boards.bind}
      initial={{ id: row.id, version: row.version }}
      okText={t('bind')}
      onSaved={onSecret}
    >
      <Field name="deviceId" wide hint={t('bindHint')}>
        <DeviceSelect />
      </Field>
    </FormDialog>
  )
}

export function ReplaceDialog({ row, onClose, onSecret }: Props) {
  const { t } = useTranslation('boards')
  const confirm = useConfirm()
  return (
    <FormDialog
      title={t('replaceTitle', { device: row.rtuNumber })}
      ns="boards"
      width={520}
      onClose={onClose}
      success="boards:success.replace"
      save={boards.replace}
      initial={{ id: row.id, version: row.version }}
      okText={t('replace')}
      before={() =>
        confirm({
          title: t('replaceAsk'),
          ok: t('replace'),
          content: `${row.rtuNumber} ${row.nickname} · ${row.boardNo}`,
          danger: true,
        })
      }
      onSaved={onSecret}
    >
      <Field name="newBoardId" wide>
        <BoardSelect orgId={row.orgId} />
      </Field>
      <Note type="warning">
        {t('replaceAsk')}
        <br />
        {t('replaceHint')}
      </Note>
    </FormDialog>
  )
}
