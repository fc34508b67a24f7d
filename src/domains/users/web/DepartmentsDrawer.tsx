import { Button, Flex, Empty as Nothing, Tree } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, NumberField, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { useLive } from '../../../web/live.ts'
import { Skeleton } from '../../../web/Problem.tsx'
import { useUser } from '../../../web/session.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Drawer } from '../../../web/ui/overlay.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { users } from '../contract.ts'
import type { DepartmentRow } from '../departments.ts'
import { DepartmentSelect, HomeSelect } from './pickers.tsx'

type Editing = { row: DepartmentRow } | { below: number | null }
type Leaf = { key: number; row: DepartmentRow; children: Leaf[] }

function grown(rows: readonly DepartmentRow[]): Leaf[] {
  const leaves = new Map(rows.map((row) => [row.id, { key: row.id, row, children: [] as Leaf[] }]))
  for (const row of rows)
    if (row.parentId !== null) leaves.get(row.parentId)?.children.push(leaves.get(row.id) as Leaf)
  return rows.filter((row) => row.parentId === null).map((row) => leaves.get(row.id) as Leaf)
}

/** The departments of one organisation: add, rename, drag, delete. */
export function DepartmentsDrawer({
  orgId: first,
  onClose,
}: {
  orgId: number | undefined
  onClose: () => void
}) {
  const { t } = useTranslation(['users', 'web'])
  const active = useActiveTab()
  const user = useUser()
  const [orgId, setOrgId] = useState<number | undefined>(first ?? user.orgId)
  const [editing, setEditing] = useState<Editing | null>(null)
  // what is not folded is open, also what gets its first department below just now
  const [folded, setFolded] = useState<readonly number[]>([])
  const read = useRead(users.departments, orgId ? { orgId } : {})
  useLive('departments', [users.departments.path])
  const move = useWrite(users.updateDepartment, { success: 'web:success.saved' })
  const remove = useAct(users.removeDepartment, {
    ask: t('tree.removeAsk'),
    name: (row: DepartmentRow) => row.name,
    success: 'web:success.removed',
  })
  const rows = read.data?.list ?? []
  const can = read.data?.can.update ?? false
  const drop = (id: number, target: number, gap: boolean) => {
    const row = rows.find((one) => one.id === id)
    const onto = rows.find((one) => one.id === target)
    if (!row || !onto) return
    move.mutate({
      id,
      version: row.version,
      name: row.name,
      sort: gap ? onto.sort : row.sort,
      parentId: gap ? onto.parentId : onto.id,
    })
  }
  if (!active) return null
  return (
    <Drawer
      open
      title={t('tree.title')}
      size={Math.min(560, innerWidth)}
      onClose={onClose}
      destroyOnHidden
    >
      <Flex gap={8} style={{ marginBottom: 8 }}>
        <HomeSelect value={orgId} onChange={(next) => next && setOrgId(next)} />
        {can ? (
          <Button onClick={() => setEditing({ below: null })}>{t('tree.create')}</Button>
        ) : null}
      </Flex>
      {can ? <Lead>{t('tree.drag')}</Lead> : null}
      {read.isPending ? <Skeleton rows={5} /> : null}
      {read.data && rows.length === 0 ? (
        <Nothing image={Nothing.PRESENTED_IMAGE_SIMPLE} description={t('tree.empty')} />
      ) : null}
      {rows.length > 0 ? (
        <Tree
          key={orgId}
          blockNode
          expandedKeys={rows.filter((row) => !folded.includes(row.id)).map((row) => row.id)}
          onExpand={(_, { node, expanded }) =>
            setFolded(expanded ? folded.filter((id) => id !== node.key) : [...folded, node.key])
          }
          selectable={false}
          draggable={can ? { icon: false } : false}
          treeData={grown(rows)}
          onDrop={({ dragNode, node, dropToGap }) => drop(dragNode.key, node.key, dropToGap)}
          titleRender={({ row }) => (
            <Flex component="span" wrap justify="space-between" gap={8}>
              <span>
                {row.name}{' '}
                <Muted>{t('tree.count', { n: row.userCount, count: row.userCount })}</Muted>
              </span>
              {can ? (
                <span>
                  <Button type="link" size="small" onClick={() => setEditing({ below: row.id })}>
                    {t('tree.addBelow')}
                  </Button>
                  <Button type="link" size="small" onClick={() => setEditing({ row })}>
                    {t('web:action.edit')}
                  </Button>
                  <Button type="link" size="small" danger onClick={() => void remove(row)}>
                    {t('web:action.delete')}
                  </Button>
                </span>
              ) : null}
            </Flex>
          )}
        />
      ) : null}
      {editing && orgId ? (
        <DepartmentDialog orgId={orgId} editing={editing} onClose={() => setEditing(null)} />
      ) : null}
    </Drawer>
  )
}

function DepartmentDialog({
  orgId,
  editing,
  onClose,
}: {
  orgId: number
  editing: Editing
  onClose: () => void
}) {
  const { t } = useTranslation('users')
  const shared = {
    ns: 'users',
    onClose,
    children: (
      <>
        <TextField name="name" count wide />
        <Field name="parentId" label={t('tree.parent')}>
          <DepartmentSelect orgId={orgId} placeholder={t('tree.top')} />
        </Field>
        <NumberField name="sort" />
      </>
    ),
  }
  return 'row' in editing ? (
    <FormDialog
      {...shared}
      title={t('tree.edit')}
      save={users.updateDepartment}
      initial={pickFor(users.updateDepartment.input, editing.row)}
    />
  ) : (
    <FormDialog
      {...shared}
      title={t('tree.create')}
      save={users.createDepartment}
      initial={{ orgId, parentId: editing.below, sort: 0 }}
    />
  )
}
