import { Button, Flex, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import { roles } from '../contract.ts'
import { type Explanation, type RowAnswer, resources } from '../explained.ts'
import { Chain } from './Chain.tsx'
import { useRightLinks, useWords } from './words.ts'

type Kind = RowAnswer['resource']

/** Whether the person sees one row, and by which rule. */
export function ExplainRow({ data }: { data: Explanation }) {
  const { t } = useTranslation(['roles', 'web'])
  const [kind, setKind] = useState<Kind>('device')
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState<{ resource: Kind; rowId: string } | null>(null)
  const read = useRead(
    roles.explain,
    { id: data.user.id, page: '/', code: 'message:read', ...asked },
    { inline: true, enabled: asked !== null },
  )
  const ask = () =>
    typed.trim() !== '' && setAsked({ resource: kind, rowId: typed.trim().slice(0, 40) })
  return (
    <>
      <Lead>{t('explain.rowHint')}</Lead>
      <Flex wrap gap={8}>
        <Select
          style={{ width: 128 }}
          aria-label={t('explain.rowKind')}
          value={kind}
          onChange={(next: Kind) => setKind(next)}
          options={resources.map((value) => ({ value, label: t(`enums.resource.${value}`) }))}
        />
        <Input
          autoFocus
          style={{ flex: '1 1 160px' }}
          placeholder={t(`explain.rowSearch.${kind}`)}
          aria-label={t(`explain.rowSearch.${kind}`)}
          maxLength={40}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onPressEnter={ask}
        />
        <Button type="primary" loading={read.isFetching} onClick={ask}>
          {t('explain.rowAsk')}
        </Button>
      </Flex>
      {read.error ? (
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      ) : asked && !read.data ? (
        <Skeleton rows={3} />
      ) : null}
      {read.data?.row ? <Found row={read.data.row} data={data} /> : null}
    </>
  )
}

function Found({ row, data }: { row: RowAnswer; data: Explanation }) {
  const { t } = useTranslation(['roles', 'web'])
  const words = useWords(data)
  const linksOf = useRightLinks(data)
  const right = words.right(row.permission)
  const own = row.rule === 'NOT_FOUND' || !right ? [] : linksOf(right)
  const rule = {
    what: t('explain.chain.row'),
    text: `${row.orgName ? `${row.orgName} · ` : ''}${t(`explain.row.${row.rule}`)}`,
    ok: row.visible,
  }
  return (
    <Chain
      ok={row.visible}
      title={`${t(row.rule === 'NOT_FOUND' ? 'explain.unknown' : row.visible ? 'explain.visible' : 'explain.invisible')} · ${t(`enums.resource.${row.resource}`)} ${row.name}`}
      hint={row.number}
      links={row.rule === 'NO_RIGHT' ? own : [...own, rule]}
    />
  )
}
