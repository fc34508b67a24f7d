import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { Chip, Cut, Muted } from '../../../web/ui/Text.tsx'
import { NoticeRow, notices } from '../contract.ts'
import { useActs } from './useActs.ts'

const Readers = lazyDialog(() => import('./Readers.tsx').then((m) => m.Readers))
const form = '/log/issue-notice/IssueAnnouncement'

export function NoticeList() {
  const { t } = useTranslation(['notices', 'web'])
  const col = useCols(NoticeRow, 'notices')
  const may = useMay()
  const navigate = useNavigate()
  const acts = useActs()
  const [read, setRead] = useState<number | null>(null)
  const targets = (row: NoticeRow) =>
    row.toAll
      ? t('target.all')
      : (['org', 'role', 'user'] as const)
          .filter((kind) => row[`${kind}Count`] > 0)
          .map((kind) => t(`target.${kind}s`, { n: row[`${kind}Count`] }))
          .join(' · ')
  const add = may('notice:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate(form)}>
      {t('create')}
    </Button>
  ) : null
  return (
    <>
      <ListPage
        ns="notices"
        endpoint={notices.list}
        live="notices"
        records={{ remove: notices.remove, name: 'title' }}
        header={add}
        empty={{ title: t('web:record.empty', { many: t('many') }), action: add }}
        views="state"
        filters={['keyword', { key: 'state', more: true }, 'author', 'range']}
        columns={[
          col('title', {
            width: 240,
            render: (_, row) => <Title row={row} />,
            card: { as: 'line', draw: (row) => row.title },
          }),
          col('targets', { width: 144, ellipsis: true, render: (_, row) => targets(row) }),
          col('channels', {
            width: 128,
            render: (_, row) => row.channels.map((one) => t(`enums.channels.${one}`)).join(' · '),
          }),
          col('state'),
          col('ratio', { align: 'right', render: (_, row) => <Ratio row={row} /> }),
          col('publishTime'),
          col('expireTime', { defaultHidden: true }),
          col('author'),
          col('createTime', { defaultHidden: true }),
          col('img', { defaultHidden: true }),
          col('pinned', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'edit',
            label: t('web:action.edit'),
            can: row.can.update,
            to: `${form}/${row.id}`,
          },
          {
            key: 'publish',
            label: t('publish'),
            can: row.can.publish,
            onClick: () => void acts.publish(row),
          },
          {
            key: 'readers',
            label: t('reader.title'),
            can: row.targetCount > 0,
            onClick: () => setRead(row.id),
          },
          {
            key: 'copy',
            label: t('web:action.copy'),
            can: may('notice:create'),
            to: `${form}?from=${row.id}`,
          },
          {
            key: 'pin',
            label: t(row.pinned ? 'unpin' : 'pin'),
            can: row.can.pin,
            onClick: () => void acts.pin(row, { pinned: !row.pinned }),
          },
          {
            key: 'withdraw',
            label: t('withdraw'),
            danger: true,
            can: row.can.withdraw,
            onClick: () => void acts.withdraw(row),
          },
        ]}
        card={['targets', 'ratio']}
      />
      {read === null ? null : <Readers id={read} onClose={() => setRead(null)} />}
    </>
  )
}

const Title = ({ row }: { row: NoticeRow }) => {
  const { t } = useTranslation('notices')
  return (
    <Flex component="span" align="center" gap={6}>
      <Cut>{row.title}</Cut>
      {row.pinned ? <Chip>{t('inbox.pinned')}</Chip> : null}
      {row.mustConfirm ? <Chip tone="warn">{t('inbox.mustConfirm')}</Chip> : null}
    </Flex>
  )
}

const Ratio = ({ row: { readCount, targetCount } }: { row: NoticeRow }) =>
  targetCount === 0 ? (
    <span className="hd-none">—</span>
  ) : (
    <>
      {readCount} / {targetCount}{' '}
      <Muted small>{Math.floor((100 * readCount) / targetCount)}%</Muted>
    </>
  )
