import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { StrategyRow, splitStrategies } from '../contract.ts'
import { Shares } from './Shares.tsx'
import { scopeText, timingText } from './texts.ts'

const VersionsDialog = lazyDialog(() =>
  import('./VersionsDialog.tsx').then((m) => m.VersionsDialog),
)

const MerchantPick = (props: PickProps<number | null>) => (
  <OptionSelect {...props} from={splitStrategies.merchants} text={({ name }) => name} />
)

export function StrategyList() {
  const { t } = useTranslation(['splitStrategies', 'web'])
  const col = useCols(StrategyRow, 'splitStrategies')
  const may = useMay()
  const navigate = useNavigate()
  const [compared, setCompared] = useState<StrategyRow | null>(null)
  const edit = (id: number) => `/finance/sub-account/${id}/edit`
  const endedText = (names: readonly string[]) =>
    names.length ? t('ended', { names: names.join(' · ') }) : ''
  const named = { name: (row: StrategyRow) => row.name }
  const publish = useAct(splitStrategies.publish, {
    ask: (row: StrategyRow) => t('publishAsk', { n: row.deviceCount, k: row.draftNo }),
    ...{ ok: t('publish'), danger: false, ...named },
  })
  const retire = useAct(splitStrategies.retire, { ask: t('retireAsk'), ok: t('retire'), ...named })
  const copy = useAct(splitStrategies.copy, {
    success: 'splitStrategies:copyDone',
    onSuccess: ({ id }) => navigate(edit(id)),
  })
  return (
    <>
      <ListPage
        ns="splitStrategies"
        endpoint={splitStrategies.list}
        live="split-strategies"
        records={{ remove: splitStrategies.remove, name: 'name' }}
        header={
          may('split-strategy:create') ? (
            <Link to="/finance/sub-account/create">
              <Button type="primary">{t('web:action.add')}</Button>
            </Link>
          ) : null
        }
        filters={[
          'keyword',
          { key: 'orgId', picker: OwnerSelect },
          { key: 'configId', picker: MerchantPick },
          'state',
          // with it the bar of the English page has no room for the button of the others
          { key: 'mode', more: true },
          { key: 'used', more: true },
          { key: 'belowLeast', more: true },
        ]}
        columns={[
          col('name', {
            fit: (_, { name, least, ended }) =>
              [name, least === null ? '' : t('least', { n: least / 100 }), endedText(ended)].join(
                '',
              ),
            render: (name: string, { least, ended }) => (
              <>
                {name}
                {least === null ? null : <Bad> {t('least', { n: least / 100 })}</Bad>}
                {ended.length ? <Bad> {endedText(ended)}</Bad> : null}
              </>
            ),
          }),
          col('orgName'),
          col('merchantName', {
            render: (name: string) => name || <Muted>{t('simulator')}</Muted>,
            fit: (name) => String(name || t('simulator')),
          }),
          col('mode', { width: 124 }),
          col('parties', { width: 160, render: (_, { parties }) => <Shares parties={parties} /> }),
          col('feeMode', { defaultHidden: true }),
          col('timing', {
            defaultHidden: true,
            render: (_, row) => timingText(t, row),
            fit: (_, row) => timingText(t, row),
          }),
          col('versionNo', {
            render: (n: number, { draftNo }) => (
              <>
                {draftNo === n ? null : t('version', { n })}{' '}
                {draftNo === null ? null : <Muted>{t('draft', { n: draftNo })}</Muted>}
              </>
            ),
          }),
          col('state'),
          col('laneIds', {
            defaultHidden: true,
            title: t('fields.scope'),
            fit: (_, row) => scopeText(t, row) || t('byBinding'),
            render: (_, row) => scopeText(t, row) || <Muted>{t('byBinding')}</Muted>,
          }),
          col('deviceCount'),
          col('recentSplit'),
          col('updateTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          { key: 'edit', label: t('web:action.edit'), can: row.can.update, to: edit(row.id) },
          {
            key: 'simulate',
            label: t('simulate'),
            can: may('split-strategy:simulate'),
            to: `/finance/sub-account/${row.id}/simulate`,
          },
          {
            key: 'publish',
            label: t('publish'),
            can: row.can.publish,
            onClick: () => void publish(row),
          },
          { key: 'compare', label: t('compare'), onClick: () => setCompared(row) },
          {
            key: 'copy',
            label: t('web:action.copy'),
            can: may('split-strategy:create'),
            onClick: () => void copy(row),
          },
          {
            key: 'retire',
            label: t('retire'),
            can: row.can.retire,
            danger: true,
            onClick: () => void retire(row),
          },
        ]}
        empty={{ title: t('web:record.empty', { many: t('many') }), hint: t('emptyHint') }}
        card={['orgName', 'parties', 'versionNo', 'deviceCount', 'recentSplit']}
      />
      {compared ? <VersionsDialog row={compared} onClose={() => setCompared(null)} /> : null}
    </>
  )
}
