import HolderOutlined from '@ant-design/icons/es/icons/HolderOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { RowActions } from '../../../web/list/RowActions.tsx'
import { useLive } from '../../../web/live.ts'
import { Bones, Problem } from '../../../web/Problem.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { menuIcon } from '../../../web/shell/icons.tsx'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { type MenuItem, menus } from '../menuContract.ts'
import styles from './menus.module.css'
import { moved, treeOf } from './menuTree.ts'

/** Every menu as a tree; a row is drawn to its place among its siblings, or moved by its verbs. */
export function MenuList() {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const phone = usePhone()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const read = useRead(menus.tree, {}, { inline: true })
  useLive('menus', [menus.tree.path])
  const setStatus = useWrite(menus.setStatus, { success: 'roles:success.setStatus' })
  const sort = useWrite(menus.sort, { success: 'roles:success.setStatus' })
  const restore = useWrite(menus.restore, { success: 'roles:success.restore' })
  const remove = useWrite(menus.remove, { success: 'roles:success.remove' })
  const [open, setOpen] = useState<readonly React.Key[]>([])
  const [drawn, setDrawn] = useState<number | null>(null)
  const list = read.data?.list ?? []
  const may = list.some((row) => row.can.update)
  const titleOf = (row: MenuItem) => (lang === 'en' ? row.titleEn : row.title)
  const put = (id: number, to: number) => {
    const items = moved(list, id, to)
    const parentId = list.find((row) => row.id === id)?.parentId ?? null
    if (items) sort.mutate({ parentId, items: items.map(({ id: own, version }) => ({ id: own, version })) })
  }
  const step = (row: MenuItem, by: 1 | -1) => {
    const siblings = list.filter((other) => other.parentId === row.parentId)
    const neighbour = siblings[siblings.indexOf(row) + by]
    return neighbour ? () => put(row.id, neighbour.id) : undefined
  }
  const turn = async (row: MenuItem) => {
    const stops = row.status === 'ENABLED'
    if (stops && !(await confirm({ title: t('menu.stopAsk'), content: titleOf(row), danger: true }))) return
    setStatus.mutate({ id: row.id, version: row.version, status: stops ? 'DISABLED' : 'ENABLED' })
  }
  const askRemove = async (row: MenuItem) => {
    if (await confirm({ title: t('menu.removeAsk'), content: titleOf(row), danger: true })) remove.mutate({ id: row.id })
  }
  const askRestore = async () => {
    if (await confirm({ title: t('menu.restoreAsk'), danger: true })) restore.mutate({})
  }
  const edit = (row: MenuItem) => `/system/organ-menu/edit/${row.id}`
  const actions = (row: MenuItem) => [
    { key: 'edit', label: t('edit'), can: row.can.update, to: edit(row) },
    { key: 'child', label: t('menu.child'), can: read.data?.mayAdd === true && row.kind === 'GROUP', to: `/system/organ-menu/create?parentId=${row.id}` },
    ...([-1, 1] as const).map((by) => {
      const move = step(row, by)
      return { key: `move${by}`, label: t(by < 0 ? 'menu.moveUp' : 'menu.moveDown'), can: may && move !== undefined, ...(move ? { onClick: move } : {}) }
    }),
    {
      key: 'status',
      label: t(row.status === 'ENABLED' ? 'stop' : 'start'),
      can: row.can.stop,
      danger: row.status === 'ENABLED',
      onClick: () => void turn(row),
    },
    { key: 'remove', label: t('remove'), danger: true, can: row.can.delete, onClick: () => void askRemove(row) },
  ]
  const visibleTo = (row: MenuItem) => {
    const names = row.roles.map((role) => (lang === 'en' ? role.nameEn : role.name))
    return names.length > 2
      ? t('menu.allRoles', { first: names.slice(0, 2).join(lang === 'en' ? ', ' : '、'), count: names.length })
      : names.join(lang === 'en' ? ', ' : '、') || t('menu.noRole')
  }
  const handle = (row: MenuItem) =>
    may ? (
      // biome-ignore lint/a11y/noStaticElementInteractions: the verbs "move up" and "move down" do the same by keyboard
      <span className={styles.handle} title={t('menu.dragHint')} draggable onDragStart={() => setDrawn(row.id)} onDragEnd={() => setDrawn(null)}>
        <HolderOutlined />
      </span>
    ) : null
  return (
    <section className={`hd-sheet ${styles.page}`} aria-label={t('menu.title')}>
      <header className={styles.head}>
        <h1>{t('menu.title')}</h1>
        <Button onClick={() => setOpen(open.length ? [] : list.filter((row) => row.kind === 'GROUP').map((row) => row.id))}>
          {t(open.length ? 'menu.collapse' : 'menu.expand')}
        </Button>
        {may ? <Button onClick={() => void askRestore()}>{t('menu.restore')}</Button> : null}
        {read.data?.mayAdd ? (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate('/system/organ-menu/create')}>
            {t('menu.create')}
          </Button>
        ) : null}
      </header>
      {read.error && !read.data ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : !read.data ? <Bones rows={14} /> : null}
      {read.data ? (
        <Table
          size="middle"
          rowKey="id"
          dataSource={treeOf(list)}
          pagination={false}
          sticky
          scroll={{ x: 1360 }}
          expandable={{ expandedRowKeys: [...open], onExpandedRowsChange: (keys) => setOpen(keys), indentSize: 20 }}
          onRow={(row) => ({
            onDragOver: (event) => {
              if (drawn !== null && drawn !== row.id && list.find((other) => other.id === drawn)?.parentId === row.parentId) event.preventDefault()
            },
            onDrop: () => drawn !== null && put(drawn, row.id),
            ...(drawn === row.id ? { className: styles.drawn ?? '' } : {}),
          })}
          columns={[
            {
              key: 'title',
              title: t('fields.title'),
              width: 248,
              // on a phone the verbs keep their place and the title gives way
              ...(phone ? {} : { fixed: 'left' as const }),
              render: (_, row) => (
                <span className={styles.title}>
                  {handle(row)}
                  {row.icon ? menuIcon(row.icon) : null}
                  {row.can.update ? <Link to={edit(row)}>{titleOf(row)}</Link> : titleOf(row)}
                </span>
              ),
            },
            lang === 'en'
              ? { key: 'titleZh', dataIndex: 'title', title: t('menu.titleZh'), width: 176, ellipsis: true }
              : { key: 'titleEn', dataIndex: 'titleEn', title: t('fields.titleEn'), width: 176, ellipsis: true },
            { key: 'name', dataIndex: 'name', title: t('fields.menuName'), width: 184, ellipsis: true },
            {
              key: 'path',
              title: t('fields.path'),
              width: 232,
              render: (_, row) => (
                <span title={row.known ? '' : t('menu.unbuilt')}>
                  {row.path}
                  {row.known ? '' : ' *'}
                </span>
              ),
            },
            { key: 'kind', title: t('fields.kind'), width: 72, render: (_, row) => t(row.kind === 'GROUP' ? 'menu.group' : 'menu.page') },
            { key: 'permission', title: t('fields.permission'), width: 176, render: (_, row) => row.permission ?? <span className="hd-none">—</span> },
            { key: 'sort', dataIndex: 'sort', title: t('fields.sort'), width: 64, align: 'right' },
            {
              key: 'hidden',
              title: t('fields.hidden'),
              width: 64,
              render: (_, row) => (row.hidden ? t('menu.hiddenYes') : <span className="hd-none">—</span>),
            },
            {
              key: 'status',
              title: t('fields.status'),
              width: 88,
              render: (_, row) => <StatusTag tone={row.status === 'ENABLED' ? 'online' : 'locked'}>{t(`enums.status.${row.status}`)}</StatusTag>,
            },
            { key: 'roles', title: t('fields.roles'), width: 232, ellipsis: true, render: (_, row) => visibleTo(row) },
            { key: 'actions', title: '', width: 168, fixed: 'right', render: (_, row) => <RowActions actions={actions(row)} /> },
          ]}
        />
      ) : null}
    </section>
  )
}
