from tests.app.conftest import *
from tests.app.test_answer_pieces import answered
async def test_x(watch, session):
    async with watch() as at:
        await answered(at, session)
        await at.press("2","home",*["right"]*29)
        print("\n".join(r for r in at.rows if r.strip()))
        await at.press("escape")
        region=at.desk.answer.region
        import tui.app.pointing as p
        old=p.Pointing.on_click
        def oc(self, c): print("CLICK", c.widget, c.screen_x, c.screen_y, region); old(self,c)
        p.Pointing.on_click=oc
        await at.pilot.click(offset=(region.x+2, region.y+1)); print(at.desk.answer.pointer)
        assert 0
