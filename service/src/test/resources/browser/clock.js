// The page's clock begins at one time, and what the service says of the last three days is as long
// before it as it is before now, so that two pictures of one state are alike.
(() => {
  const RealDate = Date;
  const shift = RealDate.parse("2026-11-24T15:00:00Z") - RealDate.now();
  const oldest = RealDate.now() - 3 * 86400e3;
  window.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [RealDate.now() + shift] : given));
    }

    static now() {
      return RealDate.now() + shift;
    }
  };
  const parse = JSON.parse;
  JSON.parse = (text, reviver) => parse(text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => {
    const at = RealDate.parse(time);
    return at > oldest ? new RealDate(at + shift).toISOString() : time;
  }), reviver);
  Response.prototype.json = async function () {
    return JSON.parse(await this.text());
  };
})();
