import { Input, Segmented, Tree } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { Cut, Lead, Muted } from '../../../web/ui/Text.tsx'
import { distribution } from '../contract.ts'
import styles from './distribution.module.css'

export type GroupBy = 'owner' | 'replenisher' | 'repairer' | 'none'
type Group = Output<typeof distribution.groups>['list'][number]
type Node = Group & { key: number; children: Node[] }

function forest(list: readonly Group[]): Node[] {
  const nodes = new Map(
    list.map((group) => [group.id, { ...group, key: group.id, children: [] as Node[] }]),
  )
  const tops: Node[] = []
  for (const group of list) {
    const node = nodes.get(group.id) as Node
    ;((group.parentId === null ? undefined : nodes.get(group.parentId)?.children) ?? tops).push(
      node,
    )
  }
  return tops
}

/**
 * Whose machines the list shows: organisations as a tree, people as a list, each with the number of
 * machines.
 */
export function GroupPanel({
  groupBy,
  chosen,
  onChange,
}: {
  groupBy: GroupBy
  chosen: number | undefined
  onChange: (groupBy: GroupBy, chosen: number | undefined) => void
}) {
  const { t } = useTranslation(['distribution', 'web'])
  const [typed, setTyped] = useState('')
  const read = useRead(distribution.groups, { groupBy }, { inline: true, keep: true })
  useLive('devices', [distribution.groups.path])
  const words = typed.trim().toLowerCase()
  const tree = groupBy === 'owner' || groupBy === 'none'
  const all = read.data?.list ?? []
  const shown = words
    ? all.filter((group) => `${group.name} ${group.hint}`.toLowerCase().includes(words))
    : all
  const nodes = useMemo(() => forest(read.data?.list ?? []), [read.data])
  const item = (group: Group) => (
    <button
      key={group.id}
      type="button"
      className={styles.item}
      aria-pressed={chosen === group.id}
      onClick={() => onChange(groupBy, group.id)}
    >
      <span>
        {group.name} <Muted small>{group.hint}</Muted>
      </span>
      <b>{group.devices}</b>
    </button>
  )
  return (
    <aside className={`hd-sheet ${styles.side}`} aria-label={t('fields.groupBy')}>
      <div className={styles.sideHead}>
        <Segmented<GroupBy>
          block
          size="small"
          value={groupBy}
          onChange={(next) => onChange(next, undefined)}
          options={(['owner', 'replenisher', 'repairer', 'none'] as const).map((value) => ({
            value,
            label: t(`short.${value}`),
            title: t(`group.${value}`),
          }))}
        />
        <Input
          value={typed}
          allowClear
          placeholder={t('search')}
          aria-label={t('search')}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button
          type="button"
          className={styles.item}
          aria-pressed={chosen === undefined}
          onClick={() => onChange(groupBy, undefined)}
        >
          <span>
            {t(groupBy === 'owner' ? 'all' : groupBy === 'none' ? 'unassigned' : 'assigned')}
          </span>
          <b>{read.data?.total ?? ''}</b>
        </button>
      </div>
      <div className={styles.box}>
        {read.error ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : null}
        {read.isPending ? <Skeleton rows={6} /> : null}
        {read.data && shown.length === 0 ? <Lead>{t('noGroup')}</Lead> : null}
        {read.data && shown.length > 0 && tree && !words ? (
          <Tree<Node>
            key={groupBy}
            blockNode
            defaultExpandAll
            treeData={nodes}
            selectedKeys={chosen === undefined ? [] : [chosen]}
            onSelect={(keys) => onChange(groupBy, keys.length ? Number(keys[0]) : undefined)}
            titleRender={(node) => (
              <span className={styles.node} title={node.name}>
                <Cut>{node.name}</Cut>
                {groupBy === 'owner' ? <b>{node.devices}</b> : null}
              </span>
            )}
          />
        ) : (
          shown.map(item)
        )}
      </div>
    </aside>
  )
}
