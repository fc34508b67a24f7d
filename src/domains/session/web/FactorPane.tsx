import { useTranslation } from 'react-i18next'
import { isApiError, messageOf } from '../../../web/call.ts'
import { factorErrors, session } from '../contract.ts'
import styles from './Login.module.css'
import { TextRow } from './LoginFields.tsx'
import { enter } from './signIn.ts'
import { PaneForm, usePane } from './usePane.tsx'

const claims = { [factorErrors.wrongFactor.name]: 'code' }

type Props = { ticket: string; onOver: (message: string) => void }

/** The second step: a code of the app, or a recovery code. */
export function FactorPane({ ticket, onOver }: Props) {
  const { t } = useTranslation(['session', 'web'])
  const pane = usePane({ code: '' })
  const submit = async () => {
    const input = { ticket, ...pane.values }
    const answer = await pane.send(session.passFactor, input, claims, (error) => {
      pane.set('code', '')
      if (isApiError(error) && error.error === factorErrors.ticketOver.name)
        onOver(messageOf(error))
    })
    if (answer) enter(answer.token)
  }
  return (
    <PaneForm pane={pane} work={submit} ok={t('web:login.submit')}>
      <p className={styles.note}>{t('factor.lead')}</p>
      <TextRow
        {...pane.field('code')}
        icon="code"
        label={t('factor.code')}
        autoComplete="one-time-code"
        maxLength={40}
        focus
      />
    </PaneForm>
  )
}
