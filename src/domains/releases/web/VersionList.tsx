import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useAct } from '../../../web/useAct.ts'
import { type Code, ofKind, VersionRow as Row, type VersionRow } from '../contract.ts'

const ApkFields = lazyDialog(() => import('./VersionFields.tsx').then((m) => m.ApkFields))
const FirmwareFields = lazyDialog(() => import('./VersionFields.tsx').then((m) => m.FirmwareFields))
const PublishDialog = lazyDialog(() => import('./PublishDialog.tsx').then((m) => m.PublishDialog))
const IssueDialog = lazyDialog(() => import('./PublishDialog.tsx').then((m) => m.IssueDialog))
const RolloutDialog = lazyDialog(() => import('./RolloutDialogs.tsx').then((m) => m.RolloutDialog))
const SpreadDialog = lazyDialog(() => import('./SpreadDialog.tsx').then((m) => m.SpreadDialog))

export const ApkVersions = () => <VersionList code="apk" />
export const FirmwareVersions = () => <VersionList code="firmware" />

/** Versions of one kind; the two pages differ in words. */
function VersionList({ code }: { code: Code }) {
  const { t } = useTranslation('releases')
  const col = useCols(Row, 'releases')
  const api = ofKind[code]
  const isApk = code === 'apk'
  const [doing, setDoing] = useState<{
    what: 'publish' | 'issue' | 'rollout'
    row: VersionRow
  } | null>(null)
  const [spread, setSpread] = useState(false)
  const withdraw = useAct(api.withdraw, {
    ask: t('withdrawAsk'),
    name: (row: VersionRow) => `${row.name} ${row.versionName}`,
    ok: t('withdraw'),
  })
  const boards = ({ boards: list }: VersionRow) => list.join(' ') || t('any')
  return (
    <>
      <ListPage
        ns="releases"
        endpoint={api.versions}
        live="releases"
        records={{
          create: api.createVersion,
          update: api.updateVersion,
          remove: api.removeVersion,
          fields: isApk ? ApkFields : FirmwareFields,
          width: 720,
          name: 'name',
        }}
        header={<Button onClick={() => setSpread(true)}>{t('spread')}</Button>}
        filters={[
          'keyword',
          { key: 'target', label: t(isApk ? 'fields.package' : 'fields.board') },
          'versionName',
          'state',
          ...(isApk ? [{ key: 'board', label: t('fields.boards'), more: true }] : []),
          { key: 'range', more: true },
        ]}
        columns={[
          col('name'),
          col('target', { title: t(isApk ? 'fields.package' : 'fields.board') }),
          col('versionName'),
          col('versionCode'),
          col('state'),
          col('signedUntil'),
          col('installs'),
          col('installShare'),
          col('notes', { defaultHidden: true }),
          col('size', { defaultHidden: true }),
          col('mandatory', { defaultHidden: true }),
          col('boards', {
            defaultHidden: true,
            fit: (_, row) => boards(row),
            render: (_, row) => boards(row),
          }),
          col('minVersion', { defaultHidden: true }),
          !isApk && col('minApk', { defaultHidden: true }),
          !isApk && col('driver', { defaultHidden: true }),
          col('downgrade', { defaultHidden: true }),
          col('toSign', { defaultHidden: true }),
          col('link', { defaultHidden: true }),
          col('sha256', { defaultHidden: true }),
          col('keyId', { defaultHidden: true }),
          col('author', { defaultHidden: true }),
          col('publishTime', { defaultHidden: true }),
          col('createTime'),
        ]}
        actions={(row) => [
          {
            key: 'rollout',
            label: t('rollout'),
            can: row.can.rollout,
            onClick: () => setDoing({ what: 'rollout', row }),
          },
          {
            key: 'publish',
            label: t('publish'),
            can: row.can.publish,
            onClick: () => setDoing({ what: 'publish', row }),
          },
          {
            key: 'issue',
            label: t('issue'),
            can: row.can.issue,
            onClick: () => setDoing({ what: 'issue', row }),
          },
          {
            key: 'withdraw',
            label: t('withdraw'),
            danger: true,
            can: row.can.withdraw,
            onClick: () => void withdraw(row),
          },
        ]}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
        card={['target', 'versionName', 'signedUntil', 'installs']}
      />
      {doing?.what === 'publish' ? (
        <PublishDialog code={code} row={doing.row} onClose={() => setDoing(null)} />
      ) : null}
      {doing?.what === 'issue' ? (
        <IssueDialog code={code} row={doing.row} onClose={() => setDoing(null)} />
      ) : null}
      {doing?.what === 'rollout' ? (
        <RolloutDialog code={code} row={doing.row} onClose={() => setDoing(null)} />
      ) : null}
      {spread ? <SpreadDialog code={code} onClose={() => setSpread(false)} /> : null}
    </>
  )
}
