import { Flex, Input, Progress } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { Field, Note, TextField } from '../../../web/form/fields.tsx'
import { useUser } from '../../../web/session.ts'
import { endSession } from '../../../web/token.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import { factorErrors, newPasswordErrors, session, sessionErrors } from '../contract.ts'
import { strength } from './strength.ts'

const nothing = {}
const shares = { weak: 33, fair: 66, strong: 100 }
const tones = { weak: 'fault', fair: 'warn', strong: 'online' }
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
          <Flex align="center" gap={10} role="status" style={{ marginBottom: 20 }}>
            <Progress
              size={[36, 4]}
              steps={3}
              percent={shares[level]}
              showInfo={false}
              strokeColor={`var(--hd-st-${tones[level]}-mark)`}
            />
            <Muted small>
              {t('web:pwd.strength')} {t(`web:pwd.${level}`)}
            </Muted>
          </Flex>
        )}
      </Section>
    </FormPage>
  )
}
