import ExclamationCircleFilled from '@ant-design/icons/es/icons/ExclamationCircleFilled'
import { Input } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Asked } from './confirm.tsx'
import { Modal } from './ui/overlay.tsx'

/** One question. Danger puts the focus on the harmless button. */
export function ConfirmDialog({ question }: { question: Asked }) {
  const { title, content, danger = false, ok, cancel, typed, answer } = question
  const { t } = useTranslation('web')
  const [text, setText] = useState('')
  const [open, setOpen] = useState(true)
  const [said, setSaid] = useState(false)
  // Leaves with its animation; the answer is given at once when the dialog is closed in any way.
  const close = (yes: boolean) => {
    setSaid(yes)
    setOpen(false)
  }
  useEffect(() => {
    if (!open) answer(said)
  }, [open, said, answer])
  return (
    <Modal
      open={open}
      width={416}
      closable={false}
      onCancel={() => close(false)}
      onOk={() => close(true)}
      okText={ok ?? t('action.confirm')}
      cancelText={cancel ?? t('action.cancel')}
      mask={{ closable: false }}
      title={
        <span className="hd-question">
          <ExclamationCircleFilled /> {title}
        </span>
      }
      okButtonProps={{
        danger,
        disabled: typed !== undefined && text !== typed,
        autoFocus: !danger && typed === undefined,
      }}
      cancelButtonProps={{
        autoFocus: danger && typed === undefined,
        ...(cancel === null ? { style: { display: 'none' } } : {}),
      }}
    >
      {content}
      {typed === undefined ? null : (
        <>
          <p>{t('form.typeToConfirm', { text: typed })}</p>
          <Input
            autoFocus
            aria-label={t('form.typeToConfirm', { text: typed })}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
          />
        </>
      )}
    </Modal>
  )
}
