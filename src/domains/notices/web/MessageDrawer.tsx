import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { Detail } from '../../../web/Detail.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { messageEndpoints } from '../messageContract.ts'
import { Letter } from './Letter.tsx'
import styles from './notices.module.css'

const { message, markRead, confirm } = messageEndpoints

/** The message named by `?detail=`; opening it reads it. */
export function MessageDrawer() {
  const { t } = useTranslation('notices')
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const id = Number(new URLSearchParams(search).get('detail') ?? 0)
  const targetOf = useTarget()
  const open = Number.isSafeInteger(id) && id > 0
  const read = useRead(message, { id }, { inline: true, enabled: open })
  const { mutate: mark } = useWrite(markRead)
  const agree = useWrite(confirm, { success: 'notices:success.confirm' })
  const found = open ? read.data : undefined
  const fresh = found?.readTime === null
  // not everybody who is told has a way to the page
  const target = targetOf(found?.link ?? '')
  useEffect(() => {
    if (fresh) mark({ ids: [id] })
  }, [fresh, id, mark])
  const close = () => {
    const params = new URLSearchParams(search)
    params.delete('detail')
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  return (
    <Detail
      open={open}
      onClose={close}
      title={found ? t(`enums.kind.${found.kind}`) : ''}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        found?.mustConfirm ? (
          <Button type="primary" disabled={found.confirmTime !== null} loading={agree.isPending} onClick={() => agree.mutate({ id })}>
            {t(found.confirmTime ? 'inbox.confirmed' : 'inbox.confirm')}
          </Button>
        ) : null
      }
    >
      {found ? (
        <>
          <Letter title={found.title} html={found.html} text={found.content} images={found.images} sender={found.sender} time={found.createTime} />
          {target ? (
            <Button className={styles.go ?? ''} type="primary" onClick={() => navigate(target)}>
              {t('inbox.open')}
            </Button>
          ) : null}
        </>
      ) : null}
    </Detail>
  )
}
