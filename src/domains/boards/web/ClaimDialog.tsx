import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note, TextField } from '../../../web/form/fields.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { type BoardSecret, boards, type UnknownBoard } from '../contract.ts'

type Props = { row: UnknownBoard; onClose: () => void; onSecret: (secret: BoardSecret) => void }

/** Registers what tried to connect; into a machine at once, which then has a new secret. */
export function ClaimDialog({ row, onClose, onSecret }: Props) {
  const { t } = useTranslation('boards')
  const may = useMay()
  const user = useUser()
  return (
    <FormDialog
      title={t('unknown.claimTitle', { board: row.boardNo })}
      ns="boards"
      width={560}
      onClose={onClose}
      success="boards:success.claim"
      save={boards.claim}
      initial={{ id: row.id, orgId: user.orgId, model: row.model, iccid: row.iccid }}
      okText={t('unknown.claim')}
      onSaved={({ boardNo, rtuNumber, secret }) => {
        if (secret !== null) onSecret({ boardNo, rtuNumber, secret })
      }}
    >
      <Field name="orgId">
        <OwnerSelect />
      </Field>
      <TextField name="model" placeholder="HD-M3" />
      <TextField name="iccid" />
      {may('main-board:bind') ? (
        <Field name="deviceId" wide hint={t('unknown.deviceHint')}>
          <DeviceSelect placeholder={t('unknown.noDevice')} />
        </Field>
      ) : null}
      <Note>{t('unknown.claimHint')}</Note>
    </FormDialog>
  )
}
