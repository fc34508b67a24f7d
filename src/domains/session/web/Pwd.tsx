import { Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { Field, Note, TextField } from '../../../web/form/fields.tsx'
import { useUser } from '../../../web/session.ts'
import { endSession } from '../../../web/token.ts'
import { factorErrors, newPasswordErrors, session, sessionErrors } from '../contract.ts'
import styles from './Pwd.module.css'
import { strength } from './strength.ts'

const nothing = {}
const claims = {
  [sessionErrors.wrongOldPassword.name]: 'oldPassword',
  [factorErrors.proofShut.name]: 'oldPassword',
  ...Object.fromEntries(newPasswordErrors.map((error) => [error.name, 'password'])),
}

/** Ends every session of the user, so that it leads to the login page. */
export function Pwd() {
  const { t } = useTranslation(['session', 'web'])
  const user = useUser()
  const [typed, setTyped] = useState('')
  const level = strength(typed)
  return (
    <FormPage
      title={t('web:pwd.title')}
      ns="session"
      save={session.changePassword}
      initial={nothing}
      back="/home"
      claims={claims}
      success="session:success.changePassword"
      onSaved={() => endSession(t('success.changePassword'), { back: false })}
    >
      <Section title={t('web:pwd.title')} purpose={t('web:pwd.purpose')}>
        {user.mustChangePassword ? <Note type="warning">{t('web:pwd.first')}</Note> : null}
        <TextField name="oldPassword" password wide autoComplete="current-password" />
        <Field name="password" label={t('fields.newPassword')} hint={t('web:pwd.rule')}>
          <Input.Password
            autoComplete="new-password"
            maxLength={128}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </Field>
        <TextField name="repeat" required password autoComplete="new-password" />
        {typed === '' ? null : (
          <div className={styles.strength} data-level={level} role="status">
            <span>
              <i />
            </span>
            {t('web:pwd.strength')} {t(`web:pwd.${level}`)}
          </div>
        )}
      </Section>
    </FormPage>
  )
}
