import { Alert, Modal, Segmented } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { SwitchField, TextField } from '../../../web/form/fields.tsx'
import { firstPassword, users } from '../contract.ts'
import styles from './users.module.css'

type Props = { userId: number; username: string; onClose: () => void }

export function ResetDialog({ userId, username, onClose }: Props) {
  const { t } = useTranslation('users')
  const [mode, setMode] = useState<'made' | 'typed'>('made')
  const [made, setMade] = useState<string | null>(null)
  const shown = useRef(false)
  // left out, the server makes a password; a person who chose to type one must
  const save = useMemo(
    () => (mode === 'made' ? users.resetPassword : { ...users.resetPassword, input: users.resetPassword.input.safeExtend({ password: firstPassword }) }),
    [mode],
  )
  if (made !== null)
    return (
      <Modal open title={t('resetOf', { name: username })} footer={null} onCancel={onClose} mask={{ closable: false }}>
        <Alert className={styles.note ?? ''} type="success" showIcon title={t('resetDone')} />
        <p className={styles.made}>
          <span className="hd-mono">{made}</span>
          <CopyButton text={made} />
        </p>
      </Modal>
    )
  return (
    <FormDialog
      key={mode}
      title={t('resetOf', { name: username })}
      ns="users"
      save={save}
      success="users:success.reset"
      okText={t('reset')}
      initial={{ id: userId, mustChangePassword: true }}
      onSaved={({ password }) => {
        shown.current = password !== null
        setMade(password)
      }}
      onClose={() => {
        if (!shown.current) onClose()
      }}
    >
      <Alert className={styles.note ?? ''} type="warning" showIcon title={t('resetAsk')} />
      <Segmented
        className={styles.note ?? ''}
        block
        value={mode}
        onChange={setMode}
        options={[
          { value: 'made' as const, label: t('resetMade') },
          { value: 'typed' as const, label: t('resetTyped') },
        ]}
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
