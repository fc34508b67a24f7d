import ArrowLeftOutlined from '@ant-design/icons/es/icons/ArrowLeftOutlined'
import BankOutlined from '@ant-design/icons/es/icons/BankOutlined'
import ColumnHeightOutlined from '@ant-design/icons/es/icons/ColumnHeightOutlined'
import FullscreenExitOutlined from '@ant-design/icons/es/icons/FullscreenExitOutlined'
import FullscreenOutlined from '@ant-design/icons/es/icons/FullscreenOutlined'
import MenuFoldOutlined from '@ant-design/icons/es/icons/MenuFoldOutlined'
import MenuUnfoldOutlined from '@ant-design/icons/es/icons/MenuUnfoldOutlined'
import MoonOutlined from '@ant-design/icons/es/icons/MoonOutlined'
import QuestionCircleOutlined from '@ant-design/icons/es/icons/QuestionCircleOutlined'
import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import SunOutlined from '@ant-design/icons/es/icons/SunOutlined'
import TranslationOutlined from '@ant-design/icons/es/icons/TranslationOutlined'
import { Button } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { href } from '../base.ts'
import { useConfirm } from '../confirm.tsx'
import { screenOf } from '../guard.ts'
import { setPrefs, usePrefs } from '../prefs.ts'
import { product } from '../product.ts'
import { logout, useUser } from '../session.ts'
import { Dropdown } from '../ui/popup.tsx'
import { Chip } from '../ui/Text.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import styles from './Shell.module.css'
import { anyDirty } from './tabs.ts'
import { useNarrow, usePhone } from './useWidth.ts'

type Props = {
  trail: readonly string[]
  folded: boolean
  onMenu: () => void
  onSearch: () => void
  onHelp: () => void
}

export function Header({ trail, folded, onMenu, onSearch, onHelp }: Props) {
  const { t } = useTranslation('web')
  const { compact } = usePrefs()
  const { readOnly } = useUser()
  const look = useLook()
  const narrow = useNarrow()
  const full = useFullscreen()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  // a phone shows no trail: what lies below a page leads back to it
  const above = usePhone() ? screenOf(pathname, product.screens)?.parent : undefined
  const foldKey = narrow ? 'shell.menu' : folded ? 'shell.unfold' : 'shell.fold'
  return (
    <header className={styles.header}>
      {above ? (
        <IconButton
          label={t('action.back')}
          icon={<ArrowLeftOutlined />}
          onClick={() => navigate(above)}
        />
      ) : (
        <IconButton
          label={t(foldKey)}
          icon={narrow || folded ? <MenuUnfoldOutlined /> : <MenuFoldOutlined />}
          onClick={onMenu}
        />
      )}
      <ol className={styles.trail}>
        {trail.map((title, index) => (
          <li key={title} aria-current={index === trail.length - 1 ? 'page' : undefined}>
            {title}
          </li>
        ))}
      </ol>
      {readOnly ? (
        <span className={styles.readOnly}>
          <Chip tone="closed">{t('shell.readOnly')}</Chip>
        </span>
      ) : null}
      <span className={styles.space} />
      <button
        type="button"
        className={styles.search}
        onClick={onSearch}
        aria-keyshortcuts="Control+K"
      >
        <SearchOutlined />
        <span className={styles.searchText}>{t('shell.search')}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <Organisation />
      <span className={styles.rule} />
      <product.Badges />
      {look.map((one) => (
        <IconButton wide {...one} key={one.label} />
      ))}
      <IconButton
        wide
        label={t('shell.compact')}
        pressed={compact}
        icon={<ColumnHeightOutlined />}
        onClick={() => setPrefs({ compact: !compact })}
      />
      <IconButton
        wide
        label={t(full.on ? 'shell.exitFullscreen' : 'shell.fullscreen')}
        icon={full.on ? <FullscreenExitOutlined /> : <FullscreenOutlined />}
        onClick={full.toggle}
      />
      <IconButton wide label={t('shell.help')} icon={<QuestionCircleOutlined />} onClick={onHelp} />
      <UserMenu />
    </header>
  )
}

/** Language and theme: in the header, on phones in the user menu. */
function useLook(): { label: string; icon: ReactNode; onClick: () => void }[] {
  const { t } = useTranslation('web')
  const { lang, theme } = usePrefs()
  const dark = theme === 'dark'
  return [
    {
      label: `${t('shell.language')}: ${t('otherLang')}`,
      icon: <TranslationOutlined />,
      onClick: () => setPrefs({ lang: lang === 'en' ? 'zh-CN' : 'en' }),
    },
    {
      label: t(dark ? 'shell.toLight' : 'shell.toDark'),
      icon: dark ? <SunOutlined /> : <MoonOutlined />,
      onClick: () => setPrefs({ theme: dark ? 'light' : 'dark' }),
    },
  ]
}

/** Whose eyes; people of the platform may look through another organisation. */
function Organisation() {
  const { t } = useTranslation('web')
  const user = useUser()
  const [choosing, setChoosing] = useState(false)
  const name = (
    <>
      <BankOutlined aria-hidden />{' '}
      <span>{user.view?.kind === 'org' ? user.view.name.zh : user.orgName}</span>
    </>
  )
  if (!user.canViewAs)
    return (
      <Tooltip title={t('shell.org')}>
        <span className={styles.org}>{name}</span>
      </Tooltip>
    )
  return (
    <>
      <Tooltip title={t('shell.viewAs')}>
        <Button type="text" className={styles.org ?? ''} onClick={() => setChoosing(true)}>
          {name}
        </Button>
      </Tooltip>
      {choosing ? <product.ViewDialog onClose={() => setChoosing(false)} /> : null}
    </>
  )
}

function IconButton({
  label,
  icon,
  onClick,
  pressed,
  wide,
}: {
  label: string
  icon: ReactNode
  onClick: () => void
  pressed?: boolean
  wide?: boolean
}) {
  return (
    <Tooltip title={label}>
      <Button
        type="text"
        className={wide ? (styles.wide ?? '') : ''}
        icon={icon}
        aria-label={label}
        {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
        onClick={onClick}
      />
    </Tooltip>
  )
}

function UserMenu() {
  const { t } = useTranslation('web')
  const confirm = useConfirm()
  const navigate = useNavigate()
  const phone = usePhone()
  const look = useLook()
  const user = useUser()
  const name = user.realName || user.username
  const leave = async () => {
    if (
      await confirm({
        title: t('shell.logoutAsk'),
        content: anyDirty() ? t('shell.logoutDirty') : null,
        ok: t('shell.logout'),
      })
    )
      await logout()
  }
  return (
    <Dropdown
      trigger={['click']}
      placement="bottomRight"
      menu={{
        items: [
          { key: 'who', disabled: true, label: `${user.username} · ${user.title}` },
          { type: 'divider' },
          { key: '/info', label: t('shell.info') },
          { key: '/pwd', label: t('shell.password') },
          { key: '/bindOpenId', label: t('shell.bind') },
          { key: '/subscriptions', label: t('shell.subscriptions') },
          { type: 'divider' },
          ...(phone
            ? [
                { key: '/downloads', label: t('shell.downloads') },
                ...look.map((one) => ({ key: one.label, label: one.label, onClick: one.onClick })),
              ]
            : []),
          { key: 'logout', label: t('shell.logout') },
        ],
        onClick: ({ key }) =>
          void (key === 'logout' ? leave() : key.startsWith('/') && navigate(key)),
      }}
    >
      <button type="button" className={styles.user}>
        <span className={styles.avatar} aria-hidden="true">
          {user.img ? <img src={href(user.img)} alt="" /> : name.slice(0, 1)}
        </span>
        <span className={styles.userName}>{name}</span>
        <span className="hd-visually-hidden">{t('shell.user')}</span>
      </button>
    </Dropdown>
  )
}

function useFullscreen(): { on: boolean; toggle: () => void } {
  const [on, setOn] = useState(document.fullscreenElement !== null)
  useEffect(() => {
    const change = () => setOn(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', change)
    return () => document.removeEventListener('fullscreenchange', change)
  }, [])
  return {
    on,
    toggle: () =>
      void (on ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(
        () => undefined,
      ),
  }
}
