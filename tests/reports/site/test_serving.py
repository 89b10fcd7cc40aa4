"""Serving a site on this machine."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from tolman.errors import UsageError
from tolman.features.report.sites import serve_folder


def test_parts_of_files_are_served_and_nothing_beside_them(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<p>page</p>")
    (site / "a.mp4").write_bytes(bytes(range(100)))
    (tmp_path / "secret").write_text("secret")

    async def ask() -> None:
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.ensure_future(serve_folder(site, 0, address.set_result))
        base = await address
        async with aiohttp.ClientSession() as client:
            async with client.get(base) as page:
                assert await page.text() == "<p>page</p>"
                assert "script-src 'self'" in page.headers["Content-Security-Policy"]
            async with client.get(f"{base}a.mp4", headers={"Range": "bytes=10-19"}) as part:
                assert (part.status, await part.read()) == (206, bytes(range(10, 20)))
            for path in ("..%2Fsecret", "%2e%2e/secret", "none", "data"):
                async with client.get(f"{base}{path}") as lost:
                    assert lost.status == 404
            async with client.get(base, headers={"Host": "evil.example"}) as strange:
                assert strange.status == 403
        port = int(base.rstrip("/").rpartition(":")[2])
        with pytest.raises(UsageError, match=f"port {port} of 127.0.0.1 can't be listened on"):
            await serve_folder(site, port, print)
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving

    asyncio.run(ask())
