import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../web/form/fields.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { users } from '../contract.ts'
import { ResetRow } from '../resets.ts'
import { ResetDialog } from './pickers.tsx'

/** Requests for a new password of people below. */
export function ResetList() {
  const { t } = useTranslation(['users', 'web'])
  const col = useCols(ResetRow, 'users')
  const [open, setOpen] = useState<{ what: 'reset' | 'reject'; row: ResetRow } | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        ns="users"
        endpoint={users.passwordResets}
        live="password-resets"
        empty={{ title: t('resets.empty') }}
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          { key: 'pending', label: t('enums.state.PENDING'), query: { state: 'PENDING' } },
        ]}
        filters={['keyword', 'state', 'method']}
        columns={[
          col('username'),
          col('realName'),
          col('operatorName'),
          col('phone'),
          col('createTime'),
          col('method'),
          col('state'),
          col('handlerName'),
          col('handledTime', { defaultHidden: true }),
          col('remark', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'reset',
            label: t('acts.reset'),
            can: row.can.reset,
            onClick: () => setOpen({ what: 'reset', row }),
          },
          {
            key: 'reject',
            label: t('resets.reject'),
            can: row.can.reject,
            danger: true,
            onClick: () => setOpen({ what: 'reject', row }),
          },
        ]}
        card={['realName', 'operatorName', 'phone', 'method']}
      />
      {open?.what === 'reset' ? (
        <ResetDialog userId={open.row.userId} username={open.row.username} onClose={close} />
      ) : null}
      {open?.what === 'reject' ? (
        <FormDialog
          title={t('resets.rejectOf', { name: open.row.username })}
          ns="users"
          save={users.rejectReset}
          success="web:success.done"
          okText={t('resets.reject')}
          initial={{ id: open.row.id }}
          onClose={close}
        >
          <TextAreaField name="reason" />
        </FormDialog>
      ) : null}
    </>
  )
}
