import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { shanghaiDay } from '../../../shared/instants.ts'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { DayField, Field, Note, SelectField, TextAreaField } from '../../../web/form/fields.tsx'
import type { Values } from '../../../web/form/values.ts'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { type Clean, cleanupKinds, orderCleanups } from '../contract.ts'

type Props = {
  orderNums: readonly string[] | null
  done: () => void
  onClose: () => void
}

/**
 * The reason, and what is cleaned where no rows were chosen. How many orders that are is asked
 * before it is done.
 */
export function CleanDialog({ orderNums, done, onClose }: Props) {
  const { t } = useTranslation('orderCleanups')
  const confirm = useConfirm()
  const count = useWrite(orderCleanups.clean)
  const today = shanghaiDay(new Date())
  const before = async (values: Values) => {
    const { orders } = await count.mutateAsync({
      ...(values as z.input<typeof Clean>),
      dryRun: true,
    })
    const content = t('cleanHint')
    return orders
      ? confirm({ title: t('cleanAsk', { orders }), content, ok: t('clean') })
      : confirm({ title: t('cleanNone'), cancel: null }).then(() => false)
  }
  return (
    <FormDialog
      ns="orderCleanups"
      title={t(orderNums ? 'clean' : 'cleanMany')}
      save={orderCleanups.clean}
      initial={orderNums ? { orderNums } : { filter: { kind: 'TEST', from: today, to: today } }}
      before={before}
      success="orderCleanups:cleanDone"
      okText={t('clean')}
      onSaved={() => {
        done()
        onClose()
      }}
      onClose={onClose}
    >
      {orderNums ? (
        <Note>{t('cleanHint')}</Note>
      ) : (
        <>
          <Field name="filter.deviceId" label={t('fields.deviceId')} required>
            <DeviceSelect />
          </Field>
          <SelectField
            name="filter.kind"
            label={t('fields.kind')}
            required
            options={cleanupKinds.map((value) => ({ value, label: t(`enums.kind.${value}`) }))}
          />
          <DayField name="filter.from" label={t('fields.from')} required />
          <DayField name="filter.to" label={t('fields.to')} required />
        </>
      )}
      <TextAreaField name="reason" />
    </FormDialog>
  )
}
