import { Button, Flex } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient, useRead } from '../../../web/api.ts'
import { Fixed, Note } from '../../../web/form/fields.tsx'
import { Time } from '../../../web/Time.tsx'
import { useAct } from '../../../web/useAct.ts'
import { session } from '../contract.ts'
import { CodesDialog } from './CodesDialog.tsx'
import { FactorDialog } from './FactorDialog.tsx'

const stale = () => {
  void queryClient.invalidateQueries({ queryKey: [session.factor.path] })
  void queryClient.invalidateQueries({ queryKey: ['session.user'] })
}

/** Two-step sign-in: off, being set up, on. */
export function Security() {
  const { t } = useTranslation('session')
  const state = useRef<HTMLSpanElement>(null)
  const [setting, setSetting] = useState(false)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const { data } = useRead(session.factor, {})
  const drop = useAct(session.dropFactor, {
    ask: t('factor.turnOffAsk'),
    ok: t('factor.turnOff'),
    success: 'session:success.factorOff',
    onSuccess: stale,
  })
  const more = useAct(session.newRecoveryCodes, {
    ask: t('factor.moreAsk'),
    ok: t('factor.more'),
    danger: false,
    success: '',
    onSuccess: ({ recoveryCodes }) => {
      stale()
      setCodes(recoveryCodes)
    },
  })
  if (!data) return null
  return (
    <>
      {data.required && !data.on ? <Note type="warning">{t('factor.required')}</Note> : null}
      <Fixed label={t('factor.name')}>
        <Flex component="span" wrap align="center" gap="4px 12px">
          <span ref={state} tabIndex={-1}>
            {t(data.on ? 'factor.on' : 'factor.off')}
          </span>
          {data.on ? null : (
            <Button size="small" onClick={() => setSetting(true)}>
              {t('factor.setUp')}
            </Button>
          )}
          {data.on && !data.required ? (
            <Button type="link" size="small" danger onClick={() => void drop({})}>
              {t('factor.turnOff')}
            </Button>
          ) : null}
        </Flex>
      </Fixed>
      {data.on ? (
        <Fixed label={t('factor.codes')}>
          <Flex component="span" wrap align="center" gap="4px 12px">
            <span>{t('factor.left', { n: data.recoveryLeft, count: data.recoveryLeft })}</span>
            <Button type="link" size="small" onClick={() => void more({})}>
              {t('factor.more')}
            </Button>
          </Flex>
        </Fixed>
      ) : null}
      {data.since ? (
        <Fixed label={t('factor.since')}>
          <Time at={data.since} style="full" />
        </Fixed>
      ) : null}
      {setting ? (
        <FactorDialog
          onClose={(made) => {
            setSetting(false)
            stale()
            if (made) setCodes(made)
          }}
        />
      ) : null}
      {codes ? (
        <CodesDialog
          codes={codes}
          onClose={() => {
            setCodes(null)
            // the button that began it may be gone
            setTimeout(() => state.current?.focus())
          }}
        />
      ) : null}
    </>
  )
}
