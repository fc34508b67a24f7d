import { Alert, Flex, Tabs } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Detail } from '../../../web/Detail.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { Chip, Lead } from '../../../web/ui/Text.tsx'
import { roles } from '../contract.ts'
import type { CodeAnswer, Explanation, PageAnswer } from '../explained.ts'
import { roleName } from '../rules.ts'
import { Chain, type Link } from './Chain.tsx'
import { ExplainRow } from './ExplainRow.tsx'
import { SearchBar } from './SearchBar.tsx'
import { useRightLinks, useWords } from './words.ts'

/**
 * A readable chain for every page and every right of one person: user → role → menu → permission →
 * scope.
 */
export function Explain({ userId, onClose }: { userId: number; onClose: () => void }) {
  const { t } = useTranslation(['roles', 'web'])
  const read = useRead(roles.explain, { id: userId }, { inline: true })
  const data = read.data
  return (
    <Detail
      open
      onClose={onClose}
      title={
        data
          ? `${t('explain.title')} · ${data.user.name || data.user.userName}`
          : t('explain.title')
      }
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
    >
      {data ? <Answer data={data} /> : null}
    </Detail>
  )
}

function Answer({ data }: { data: Explanation }) {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const [typed, setTyped] = useState('')
  const [only, setOnly] = useState(false)
  const [tab, setTab] = useState('pages')
  const wanted = useDeferredValue(typed.trim().toLowerCase())
  const fits = (...texts: (string | null)[]) =>
    wanted === '' || texts.join(' ').toLowerCase().includes(wanted)
  const pages = data.pages.filter(
    (page) => !(only && page.shown) && fits(page.zh, page.en, page.path, page.permission),
  )
  const rights = data.rights.filter(
    (right) => !(only && right.granted) && fits(right.zh, right.en, right.permission),
  )
  const count = (what: string, n: number, all: number) =>
    t('explain.count', { what: t(`explain.tabs.${what}`), n, all })
  return (
    <Flex vertical gap={8}>
      {data.closed ? (
        <Alert type="error" showIcon title={t(`explain.closed.${data.closed}`)} />
      ) : null}
      <Flex wrap align="center" gap="6px 8px">
        <strong>{data.user.userName}</strong> {data.user.orgName}
        {data.roles.map((role) => (
          <Chip key={role.id}>
            {roleName(role, lang)} · {t(`enums.dataScope.${role.dataScope}`)}
            {role.enabled ? '' : ` · ${t('explain.stopped')}`}
          </Chip>
        ))}
      </Flex>
      {tab === 'row' ? null : (
        <SearchBar
          focus
          hint={t('explain.search')}
          typed={typed}
          onType={setTyped}
          only={{ label: t('explain.only'), on: only, set: setOnly }}
        />
      )}
      <Tabs
        activeKey={tab}
        onChange={setTab}
        items={[
          {
            key: 'pages',
            label: count('pages', pages.filter((page) => page.shown).length, pages.length),
            children: <Pages pages={pages} data={data} />,
          },
          {
            key: 'rights',
            label: count('rights', rights.filter((right) => right.granted).length, rights.length),
            children: <Rights rights={rights} data={data} />,
          },
          { key: 'row', label: t('explain.tabs.row'), children: <ExplainRow data={data} /> },
        ]}
      />
    </Flex>
  )
}

function Rights({ rights, data }: { rights: readonly CodeAnswer[]; data: Explanation }) {
  const { t } = useTranslation(['roles', 'web'])
  const words = useWords(data)
  const linksOf = useRightLinks(data)
  if (!rights.length) return <Lead>{t('explain.nothing')}</Lead>
  return rights.map((right) => (
    <Chain
      key={right.permission}
      ok={right.granted}
      title={words.say(right)}
      hint={right.permission}
      links={linksOf(right)}
    />
  ))
}

function Pages({ pages, data }: { pages: readonly PageAnswer[]; data: Explanation }) {
  const { t } = useTranslation(['roles', 'web'])
  const words = useWords(data)
  const { lang } = usePrefs()
  if (!pages.length) return <Lead>{t('explain.nothing')}</Lead>
  const linksOf = (page: PageAnswer): Link[] => {
    const listed = page.through.length
      ? [{ what: t('explain.chain.role'), text: words.rolesOf(page.through), ok: true }]
      : []
    const menu = t('explain.chain.menu')
    if (!page.shown)
      return [
        ...listed,
        {
          what: menu,
          text: t(`explain.page.${page.reason}`, { read: words.nameOf(page.permission) }),
          ok: false,
        },
      ]
    const right = words.right(page.permission)
    return [
      ...listed,
      { what: menu, text: t(page.hidden ? 'explain.menuHidden' : 'explain.menuShown'), ok: true },
      { what: t('explain.chain.code'), text: words.nameOf(page.permission), ok: true },
      { what: t('explain.chain.scope'), text: words.scopesOf(right?.scopes ?? []), ok: true },
    ]
  }
  return pages.map((page) => (
    <Chain
      key={page.path}
      ok={page.shown}
      title={`${lang === 'en' ? page.groupEn : page.groupZh} / ${words.say(page)}`}
      hint={page.path}
      links={linksOf(page)}
    />
  ))
}
