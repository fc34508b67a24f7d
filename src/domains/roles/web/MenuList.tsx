import HolderOutlined from '@ant-design/icons/es/icons/HolderOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Flex, Input, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { RowActions } from '../../../web/list/RowActions.tsx'
import { useLive } from '../../../web/live.ts'
import { Unread } from '../../../web/Problem.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { menuIcon } from '../../../web/shell/icons.tsx'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { Page } from '../../../web/ui/Page.tsx'
import { useAct } from '../../../web/useAct.ts'
import { type MenuItem, menus } from '../menuContract.ts'
import { roleName } from '../rules.ts'
import { moved, narrowed, treeOf } from './menuTree.ts'
import { statusAct } from './statusAct.ts'

/** Every menu as a tree; a row is drawn to its place among its siblings, or moved by its verbs. */
export function MenuList() {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const phone = usePhone()
  const navigate = useNavigate()
  const read = useRead(menus.tree, {}, { inline: true })
  useLive('menus', [menus.tree.path])
  const titleOf = (row: MenuItem) => (lang === 'en' ? row.titleEn : row.title)
  const start = useAct(menus.setStatus, {})
  const stop = useAct(menus.setStatus, { ask: t('menu.stopAsk'), name: titleOf })
  const sort = useWrite(menus.sort, { success: 'web:success.done' })
  const restore = useAct(menus.restore, { ask: t('menu.restoreAsk') })
  const remove = useAct(menus.remove, {
    ask: t('menu.removeAsk'),
    name: titleOf,
    success: 'web:success.removed',
  })
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState<readonly React.Key[]>([])
  const [drawn, setDrawn] = useState<number | null>(null)
  const list = read.data?.list ?? []
  const words = typed.trim().toLowerCase()
  const shown = words ? narrowed(list, words) : list
  const groups = shown.filter((row) => row.kind === 'GROUP').map((row) => row.id)
  const may = list.some((row) => row.can.update)
  const put = (id: number, to: number) => {
    const items = moved(list, id, to)
    const parentId = list.find((row) => row.id === id)?.parentId ?? null
    if (items)
      sort.mutate({ parentId, items: items.map(({ id: own, version }) => ({ id: own, version })) })
  }
  const step = (row: MenuItem, by: 1 | -1) => {
    const siblings = list.filter((other) => other.parentId === row.parentId)
    const neighbour = siblings[siblings.indexOf(row) + by]
    return neighbour ? () => put(row.id, neighbour.id) : undefined
  }
  const edit = (row: MenuItem) => `/system/organ-menu/edit/${row.id}`
  const actions = (row: MenuItem) => [
    { key: 'edit', label: t('web:action.edit'), can: row.can.update, to: edit(row) },
    {
      key: 'child',
      label: t('menu.child'),
      can: read.data?.mayAdd === true && row.kind === 'GROUP',
      to: `/system/organ-menu/create?parentId=${row.id}`,
    },
    ...([-1, 1] as const).map((by) => {
      const move = step(row, by)
      return {
        key: `move${by}`,
        label: t(by < 0 ? 'menu.moveUp' : 'menu.moveDown'),
        can: may && move !== undefined,
        ...(move ? { onClick: move } : {}),
      }
    }),
    statusAct(t, row, { stop, start }),
    {
      key: 'remove',
      label: t('web:action.delete'),
      danger: true,
      can: row.can.delete,
      onClick: () => void remove(row),
    },
  ]
  const visibleTo = (row: MenuItem) => {
    const names = row.roles.map((role) => roleName(role, lang))
    return names.length > 2
      ? t('menu.allRoles', {
          first: names.slice(0, 2).join(lang === 'en' ? ', ' : '、'),
          count: names.length,
        })
      : names.join(lang === 'en' ? ', ' : '、') || t('menu.noRole')
  }
  const handle = (row: MenuItem) =>
    may ? (
      // biome-ignore lint/a11y/noStaticElementInteractions: the verbs "move up" and "move down" do the same by keyboard
      <span
        style={{ color: 'var(--hd-text-3)', cursor: 'grab' }}
        title={t('menu.dragHint')}
        draggable
        onDragStart={() => setDrawn(row.id)}
        onDragEnd={() => setDrawn(null)}
      >
        <HolderOutlined />
      </span>
    ) : null
  return (
    <Page
      bare
      tools={
        <>
          <Input.Search
            allowClear
            style={{ width: 220 }}
            placeholder={t('menu.search')}
            aria-label={t('menu.search')}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button onClick={() => setOpen(open.length ? [] : groups)}>
            {t(open.length ? 'menu.collapse' : 'menu.expand')}
          </Button>
          {may ? <Button onClick={() => void restore({})}>{t('web:action.reset')}</Button> : null}
          {read.data?.mayAdd ? (
            <Button
              type="primary"
              icon={<PlusOutlined />}
              onClick={() => navigate('/system/organ-menu/create')}
            >
              {t('web:record.create', { one: t('menu.one') })}
            </Button>
          ) : null}
        </>
      }
    >
      {read.data ? null : <Unread read={read} rows={14} />}
      {read.data ? (
        <Table
          size="middle"
          rowKey="id"
          dataSource={treeOf(shown)}
          pagination={false}
          sticky
          scroll={{ x: 1160 }}
          expandable={{
            expandedRowKeys: words ? groups : [...open],
            onExpandedRowsChange: (keys) => setOpen(keys),
            indentSize: 20,
          }}
          onRow={(row) => ({
            onDragOver: (event) => {
              if (
                drawn !== null &&
                drawn !== row.id &&
                list.find((other) => other.id === drawn)?.parentId === row.parentId
              )
                event.preventDefault()
            },
            onDrop: () => drawn !== null && put(drawn, row.id),
            ...(drawn === row.id ? { style: { opacity: 0.5 } } : {}),
          })}
          columns={[
            {
              key: 'title',
              title: t('fields.title'),
              width: 248,
              // on a phone the verbs keep their place and the title gives way
              ...(phone ? {} : { fixed: 'left' as const }),
              render: (_, row) => (
                <Flex component="span" align="center" gap={6} style={{ display: 'inline-flex' }}>
                  {handle(row)}
                  {row.icon ? menuIcon(row.icon) : null}
                  {row.can.update ? <Link to={edit(row)}>{titleOf(row)}</Link> : titleOf(row)}
                </Flex>
              ),
            },
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
            {
              key: 'kind',
              title: t('fields.kind'),
              width: 72,
              render: (_, row) => t(row.kind === 'GROUP' ? 'menu.group' : 'menu.page'),
            },
            {
              key: 'permission',
              title: t('fields.permission'),
              width: 176,
              render: (_, row) => row.permission ?? <span className="hd-none">—</span>,
            },
            {
              key: 'status',
              title: t('fields.status'),
              width: 88,
              render: (_, row) => (
                <StatusTag
                  tone={row.status !== 'ENABLED' ? 'locked' : row.hidden ? 'offline' : 'online'}
                >
                  {row.status === 'ENABLED' && row.hidden
                    ? t('menu.hiddenYes')
                    : t(`enums.status.${row.status}`)}
                </StatusTag>
              ),
            },
            {
              key: 'roles',
              title: t('fields.roles'),
              width: 184,
              ellipsis: true,
              render: (_, row) => visibleTo(row),
            },
            {
              key: 'actions',
              title: t('web:list.actions'),
              width: 176,
              fixed: 'right',
              render: (_, row) => <RowActions actions={actions(row)} />,
            },
          ]}
        />
      ) : null}
    </Page>
  )
}
