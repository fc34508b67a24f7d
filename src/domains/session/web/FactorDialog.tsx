import { Button, Form, Input } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { useFocusBack } from '../../../web/useFocusBack.ts'
import { factorErrors, session } from '../contract.ts'
import styles from './Me.module.css'
import { Qr } from './Qr.tsx'

/** Scan, then a code of the app to see that it works; closes with the recovery codes, or with nothing. */
export function FactorDialog({ onClose }: { onClose: (codes: readonly string[] | null) => void }) {
  const { t } = useTranslation(['session', 'web'])
  const phone = usePhone()
  useFocusBack()
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState('')
  const begin = useWrite(session.enrolFactor, { invalidates: [] })
  const confirm = useWrite(session.confirmFactor, {
    claims: [factorErrors.wrongFactor.name, 'common.invalid'],
    invalidates: [],
    onSuccess: ({ recoveryCodes }) => onClose(recoveryCodes),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: one secret for each time the dialog opens
  useEffect(() => begin.mutate({}, { onError: () => onClose(null) }), [])
  const submit = () => {
    if (code === '' || confirm.isPending) return
    confirm.mutate(
      { code },
      {
        onError: (error) => {
          setWrong(error.message)
          setCode('')
        },
      },
    )
  }
  const secret = begin.data?.secret ?? ''
  if (!begin.data) return null
  return (
    <Modal
      open
      width={416}
      title={t('factor.setUp')}
      okText={t('factor.turnOn')}
      cancelText={t('web:action.cancel')}
      okButtonProps={{ disabled: code === '' }}
      confirmLoading={confirm.isPending}
      mask={{ closable: false }}
      onOk={submit}
      onCancel={() => onClose(null)}
    >
      <p>{t('factor.scan')}</p>
      <div className={styles.qr}>
        <Qr text={begin.data.uri} label={t('factor.picture')} />
      </div>
      <p className={styles.secret}>
        {t('factor.secret')}
        <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={secret} />
      </p>
      {phone ? (
        // a phone cannot scan itself
        <Button block className={styles.openApp ?? ''} href={begin.data.uri}>
          {t('factor.openApp')}
        </Button>
      ) : null}
      <Form layout="vertical" component={false}>
        <Form.Item
          label={t('factor.enter')}
          htmlFor="factor-code"
          {...(wrong ? { validateStatus: 'error' as const, help: wrong } : {})}
        >
          <Input
            id="factor-code"
            value={code}
            autoFocus
            maxLength={7}
            inputMode="numeric"
            autoComplete="one-time-code"
            onChange={(event) => setCode(event.target.value)}
            onPressEnter={submit}
          />
        </Form.Item>
      </Form>
    </Modal>
  )
}
