import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note, SelectField, TextField } from '../../../web/form/fields.tsx'
import { Unread } from '../../../web/Problem.tsx'
import { useUser } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { billing } from '../contract.ts'
import { periods } from '../rules.ts'

/** Statements by mail: the own subscriptions, and one more. */
export function SubscriptionDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('billing')
  const user = useUser()
  const read = useRead(billing.subscriptions, {}, { inline: true })
  const stop = useWrite(billing.unsubscribe, { invalidates: [billing.subscriptions.path] })
  return (
    <FormDialog
      ns="billing"
      title={t('subscription.title')}
      save={billing.subscribe}
      initial={{ orgId: user?.orgId, period: 'MONTH' }}
      invalidates={[billing.subscriptions.path]}
      success="billing:subscription.done"
      okText={t('subscription.subscribe')}
      width={560}
      onClose={onClose}
    >
      {read.data ? (
        <Lines columns="minmax(0, 1fr) auto">
          {read.data.list.map((one) => (
            <li key={one.id}>
              <span>
                {one.orgName} · {t(`enums.period.${one.period}`)} · {one.email}
                <br />
                <Muted small>
                  {!one.confirmed
                    ? t('subscription.unconfirmed')
                    : one.problem !== 'NONE'
                      ? t(`subscription.problem.${one.problem}`)
                      : null}
                  {one.confirmed && one.problem === 'NONE' ? (
                    one.sentTime ? (
                      <>
                        {t('subscription.sent')} <Time at={one.sentTime} />
                      </>
                    ) : (
                      t('subscription.waits')
                    )
                  ) : null}
                </Muted>
              </span>
              <Button
                type="link"
                size="small"
                loading={stop.isPending && stop.variables?.subscriptionId === one.id}
                onClick={() => stop.mutate({ subscriptionId: one.id })}
              >
                {t('subscription.stop')}
              </Button>
            </li>
          ))}
        </Lines>
      ) : (
        <Unread read={read} rows={2} />
      )}
      <Note>{t('subscription.hint')}</Note>
      <Field name="orgId">
        <OwnerSelect />
      </Field>
      <SelectField
        name="period"
        options={periods.map((value) => ({ value, label: t(`enums.period.${value}`) }))}
      />
      <TextField name="email" />
    </FormDialog>
  )
}
