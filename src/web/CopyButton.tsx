import CopyOutlined from '@ant-design/icons/es/icons/CopyOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { translate } from './i18n.ts'
import { toast } from './toast.ts'
import { Tooltip } from './ui/Tooltip.tsx'

/**
 * Copies without the spaces a person reads by; lines and tabs of a list stay. With `label` a
 * button, without it an icon.
 */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation('web')
  const copy = () =>
    void navigator.clipboard.writeText(text.replace(/[^\S\r\n\t]/g, '')).then(
      () => toast('success', translate('action.copied')),
      () => undefined,
    )
  if (label)
    return (
      <Button type="text" icon={<CopyOutlined />} onClick={copy}>
        {label}
      </Button>
    )
  return (
    <Tooltip title={t('action.copy')}>
      <Button
        type="text"
        size="small"
        className="hd-copy"
        icon={<CopyOutlined />}
        aria-label={`${t('action.copy')} ${text}`}
        onClick={copy}
      />
    </Tooltip>
  )
}
