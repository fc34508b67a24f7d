import { Flex, Segmented } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, SwitchField, TextField } from '../../../web/form/fields.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { firstPassword, users } from '../contract.ts'

type Props = { userId: number; username: string; onClose: () => void }
const typing = {
  ...users.resetPassword,
  input: users.resetPassword.input.safeExtend({ password: firstPassword }),
}

export function ResetDialog({ userId, username, onClose }: Props) {
  const { t } = useTranslation('users')
  const [mode, setMode] = useState<'made' | 'typed'>('made')
  const [made, setMade] = useState<string | null>(null)
  const shown = useRef(false)
  // left out, the server makes a password; a person who chose to type one must
  const save = mode === 'made' ? users.resetPassword : typing
  const title = t('resetOf', { name: username })
  if (made !== null)
    return (
      <Modal open title={title} footer={null} onCancel={onClose} mask={{ closable: false }}>
        <p>{t('resetDone')}</p>
        <Flex align="center" gap={8}>
          <strong className="hd-mono">{made}</strong>
          <CopyButton text={made} />
        </Flex>
      </Modal>
    )
  return (
    <FormDialog
      key={mode}
      title={title}
      ns="users"
      save={save}
      success="web:success.done"
      okText={t('acts.reset')}
      initial={{ id: userId, mustChangePassword: true }}
      onSaved={({ password }) => {
        shown.current = password !== null
        setMade(password)
      }}
      onClose={() => {
        if (!shown.current) onClose()
      }}
    >
      <Note type="warning">{t('resetAsk')}</Note>
      <Segmented
        style={{ gridColumn: '1 / -1', marginBottom: 16 }}
        block
        value={mode}
        onChange={setMode}
        options={(['made', 'typed'] as const).map((value) => ({ value, label: t(`way.${value}`) }))}
      />
      {mode === 'typed' ? (
        <>
          <TextField name="password" password required autoComplete="new-password" />
          <TextField name="repeat" password required autoComplete="new-password" />
        </>
      ) : null}
      <SwitchField name="mustChangePassword" />
    </FormDialog>
  )
}
