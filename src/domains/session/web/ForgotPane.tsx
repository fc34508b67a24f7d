import { useTranslation } from 'react-i18next'
import { newPasswordErrors, session, sessionErrors } from '../contract.ts'
import { CodeButton } from './CodeButton.tsx'
import styles from './Login.module.css'
import type { PaneProps } from './Login.tsx'
import { PasswordRow, TextRow } from './LoginFields.tsx'
import { PaneForm, useCode, usePane } from './usePane.tsx'

const claims = {
  [sessionErrors.wrongCode.name]: 'smsCode',
  ...Object.fromEntries(newPasswordErrors.map((error) => [error.name, 'password'])),
}

/**
 * Username and phone of the account, a code, a new password. Without SMS the administrator is
 * asked.
 */
export function ForgotPane({ onDone }: PaneProps) {
  const { t } = useTranslation(['web', 'session'])
  const pane = usePane({ username: '', phone: '', smsCode: '', password: '', repeat: '' })
  const { typed, field } = pane
  const code = useCode(pane, () => ({ purpose: 'reset', ...typed('username', 'phone') }))
  const submit = async () => {
    const input = typed('username', 'phone', 'smsCode', 'password', 'repeat')
    const done = code.possible && (await pane.send(session.passwordReset, input, claims))
    if (done) onDone(t('session:success.reset'))
  }
  return (
    <PaneForm pane={pane} work={submit} ok={code.possible ? t('session:forgot.submit') : undefined}>
      <p className={styles.note}>{t('session:forgot.lead')}</p>
      <TextRow {...field('username')} label={t('login.username')} autoComplete="username" focus />
      {code.phone()}
      {code.possible ? (
        <>
          {code.code}
          {(['password', 'repeat'] as const).map((name) => (
            <PasswordRow
              key={name}
              {...field(name)}
              label={t(`session:fields.${name === 'password' ? 'newPassword' : name}`)}
              autoComplete="new-password"
            />
          ))}
        </>
      ) : (
        <CodeButton send={code.send} label={t('session:forgot.ask')} />
      )}
      {code.note}
    </PaneForm>
  )
}
