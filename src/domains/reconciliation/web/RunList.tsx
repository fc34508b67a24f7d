import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { platformOrg } from '../../../shared/access.ts'
import { call, messageOf } from '../../../web/call.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { toast } from '../../../web/toast.ts'
import { useAct } from '../../../web/useAct.ts'
import { useBillingViews } from '../../billing/web/pickers.ts'
import { RunRow, reconciliation } from '../contract.ts'
import { isOuter, runLimits } from '../rules.ts'
import { amountOf } from './amountOf.tsx'

const FetchDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.FetchDialog))
const differences = '/finance/billing-details/reconciliation/differences'

/** What was compared on each day, and what came of it: a tab of the page of money. */
export function RunList() {
  const { t } = useTranslation('reconciliation')
  const col = useCols(RunRow, 'reconciliation')
  const title = useTranslation('billing').t('title')
  const navigate = useNavigate()
  const may = useMay()
  const { orgId } = useUser()
  const again = useAct(reconciliation.fetch, { ask: t('fetchAsk'), danger: false })
  const upload = useBillUpload()
  const [fetching, setFetching] = useState(false)
  return (
    <>
      {upload.field}
      <ListPage
        ns="reconciliation"
        endpoint={reconciliation.runs}
        live="reconciliation"
        title={title}
        views={useBillingViews('reconciliation')}
        header={
          <>
            {may('recon:run') && orgId === platformOrg ? (
              <Button onClick={() => setFetching(true)}>{t('fetch')}</Button>
            ) : null}
            <Button type="primary" onClick={() => navigate(`${differences}?open=true`)}>
              {t('toDifferences')}
            </Button>
          </>
        }
        filters={['range', 'merchant', 'state', { key: 'part', more: true }]}
        columns={[
          col('day', { fixed: 'start' }),
          col('merchant', {
            fit: (_, row) => row.merchant || t(`enums.provider.${row.provider || 'BOOKS'}`),
            render: (_, row) => row.merchant || t(`enums.provider.${row.provider || 'BOOKS'}`),
          }),
          col('part', { tones: {} }),
          col('orgName', { defaultHidden: true }),
          col('localCount'),
          col('localAmount', amountOf<RunRow>()),
          col('otherCount'),
          col('otherAmount', amountOf<RunRow>()),
          col('differences'),
          col('open', { defaultHidden: true }),
          col('gap', amountOf<RunRow>()),
          col('state'),
          col('closed', { defaultHidden: true }),
          col('provider', { defaultHidden: true }),
          col('lastError', { defaultHidden: true }),
          col('finishTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'differences',
            label: t('toDifferences'),
            can: row.differences > 0,
            to: `${differences}?from=${row.day}&to=${row.day}&part=${row.part}`,
          },
          {
            key: 'fetch',
            label: t('fetchAgain'),
            can: row.can.run,
            onClick: () =>
              void again(row, {
                billDate: row.day,
                configId: row.configId,
                billType: isOuter(row.part) ? row.part : 'BILL',
              }),
          },
          {
            key: 'upload',
            label: t('upload'),
            can: row.can.upload,
            onClick: () => upload.ask(row.id),
          },
        ]}
        empty={{ title: t('noRuns'), hint: t('noRunsHint') }}
        card={['day', 'part', 'orgName', 'localAmount', 'otherAmount', 'gap', 'finishTime']}
      />
      {fetching ? <FetchDialog onClose={() => setFetching(false)} /> : null}
    </>
  )
}

/** The file that a person has from the channel's own page. */
function useBillUpload() {
  const { t } = useTranslation('reconciliation')
  const field = useRef<HTMLInputElement>(null)
  const [run, setRun] = useState(0)
  const take = async (file: File | undefined) => {
    if (!file) return
    if (file.size > runLimits.fileBytes) return toast('error', t('fileTooLarge'))
    try {
      toast('success', t('uploaded', await call(reconciliation.upload, { id: run }, { file })))
    } catch (error) {
      toast('error', messageOf(error))
    }
  }
  return {
    ask(id: number) {
      setRun(id)
      field.current?.click()
    },
    field: (
      <input
        ref={field}
        hidden
        type="file"
        accept=".csv,.zip,text/csv,application/zip"
        aria-label={t('upload')}
        onChange={(event) => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    ),
  }
}
