import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient, useRead } from '../../../web/api.ts'
import { Rows } from '../../../web/Detail.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextField } from '../../../web/form/fields.tsx'
import { useLive } from '../../../web/live.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { Time } from '../../../web/Time.tsx'
import { Page } from '../../../web/ui/Page.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import { factorErrors, session, sessionErrors } from '../contract.ts'
import { ScanCode } from './ScanCode.tsx'

const nothing = {}
const again = () => void queryClient.invalidateQueries({ queryKey: [session.binding.path] })

export function BindOpenId() {
  const { t } = useTranslation(['session', 'web'])
  const [asking, setAsking] = useState(false)
  const { data, error, refetch } = useRead(session.binding, {}, { inline: true })
  // an administrator may take the binding away meanwhile
  useLive('users', [session.binding.path])
  return (
    <Page>
      <Lead>{t('bind.lead')}</Lead>
      {error && !data ? (
        <Problem error={error} title={t('bind.title')} onRetry={() => void refetch()} />
      ) : null}
      {!error && !data ? <Skeleton rows={4} /> : null}
      {data?.bound ? (
        <>
          <Rows
            items={[
              [t('bind.nickname'), data.bound.nickname],
              [t('bind.boundAt'), <Time key="at" at={data.bound.boundAt} style="full" />],
            ]}
          />
          <Button danger onClick={() => setAsking(true)}>
            {t('bind.unbind')}
          </Button>
        </>
      ) : null}
      {data && !data.bound ? (
        data.available ? (
          <ScanCode purpose="bind" hint={t('bind.hint')} onConfirmed={again} />
        ) : (
          <Alert type="info" showIcon title={t('bind.unavailable')} />
        )
      ) : null}
      {asking ? (
        <FormDialog
          title={t('bind.unbindAsk')}
          ns="session"
          save={session.unbind}
          initial={nothing}
          okText={t('bind.unbind')}
          danger
          success="web:success.done"
          claims={{
            [sessionErrors.wrongPassword.name]: 'password',
            [factorErrors.proofShut.name]: 'password',
          }}
          onSaved={again}
          onClose={() => setAsking(false)}
        >
          <TextField name="password" password wide autoComplete="current-password" />
        </FormDialog>
      ) : null}
    </Page>
  )
}
